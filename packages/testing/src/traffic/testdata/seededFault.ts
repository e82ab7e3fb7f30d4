/** A service with one fault, and the ways to make one. */
import type { Service, ServiceRequest } from "@sibyl/core"
import type { Context } from "effect"
import type { TrafficRule } from "../auditor/violation.ts"
import type { SimPorts, SimTargetOptions } from "../sim/openSimTarget.ts"
import { type Members, within } from "./tamper.ts"

/** A fault, and the rules of which at least one must be found broken. */
export interface SeededFault {
  readonly name: string
  readonly breaks: ReadonlyArray<TrafficRule>
  readonly options: () => SimTargetOptions
}

/** Changes a service as its clients see it. */
export type Tamper = (service: Service) => Service
/** The ports of a simulated service. */
export type Ports = Context.Context<SimPorts>

/** A fault between the service and its clients. */
export const seam = (name: string, breaks: ReadonlyArray<TrafficRule>, tamper: () => Tamper): SeededFault => ({
  name,
  breaks,
  options: () => ({ service: tamper() })
})

/** A fault of a port. */
export const ports = (name: string, breaks: ReadonlyArray<TrafficRule>, change: () => (ports: Ports) => Ports): SeededFault => ({
  name,
  breaks,
  options: () => ({ ports: change() })
})

/** Whether a request is for a run. */
export const isRun = ({ method, url }: ServiceRequest): boolean => /^\/execute(\?|$)/.test(url) && (method === "GET" || method === "POST")

/** Whether an answer is the record of a run. */
export const isRecord = (json: Members): boolean => json["_tag"] === "ExecuteResponse" || json["_tag"] === "FailedExecutionResponse"

/** Whether a message is a reply. */
export const isReply = (message: Members): boolean => "id" in message
/** Whether a message is a result of a feed. */
export const isResult = (message: Members): boolean => message["method"] === "feed.result"
/** The record in one. */
export const resultOf = (message: Members): Members => within(message, "params", "result")
