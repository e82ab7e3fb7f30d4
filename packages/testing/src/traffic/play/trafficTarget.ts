/** What traffic is sent to: a service, and what else the kit can do with it. Each optional member makes more commands possible. */
import type { AuditedProject } from "../../audits/provision/means.ts"
import type { TrafficWire } from "./trafficWire.ts"

/** What only an operator can do. */
export interface TrafficOperator {
  /** Makes a project and returns a key of it: each sequence has projects of its own. */
  readonly makeKey: (project: AuditedProject) => Promise<string>
  /** Ends a key. */
  readonly revokeKey?: ((apiKey: string) => Promise<unknown>) | undefined
  /** Another key of a project. */
  readonly issueKey?: ((projectId: string) => Promise<string>) | undefined
  readonly grant?: ((projectId: string, credits: bigint) => Promise<unknown>) | undefined
}

/** Simulated time. */
export interface TrafficClock {
  readonly nowMs: () => number
  /** Lets time pass, with everything that is due in it. */
  readonly pass: (ms: number) => Promise<void>
}

/** What a program asks over HTTP. */
export interface TrafficUpstream {
  /** The id of a program that asks it: exit code 0 when it answers, another one when it does not. */
  readonly programId: string
  /** From then on it does not answer. */
  readonly fail: () => Promise<void>
  readonly recover: () => Promise<void>
}

/** A service under traffic: an address and a key, or an operator who makes keys. A `Target` of the audits is one. */
export interface TrafficTarget {
  /** Without a trailing slash: `http://127.0.0.1:8080/oracle`. It may change when the service is started again. */
  readonly baseUrl: string
  /** The address of the WebSocket interface, if it is not `/ws/v1` below `baseUrl`: `http://` for `ws://`. */
  readonly wsUrl?: string | undefined
  /** Another way to the service than its address: a service in this process. */
  readonly wire?: TrafficWire | undefined
  /** A key of a project with credits, from which nobody else spends; not needed with an operator. */
  readonly apiKey?: string | undefined
  /** A key of another project. */
  readonly otherTenantKey?: string | undefined
  /** The ids of the kit's programs; by default those of their bytes. */
  readonly programs?: Readonly<Record<string, string>> | undefined
  /** Whether it has tickets (`POST /tickets`); absent: none is asked for. */
  readonly hasTickets?: boolean | undefined
  readonly operator?: TrafficOperator | undefined
  readonly clock?: TrafficClock | undefined
  readonly upstream?: TrafficUpstream | undefined
  /** Kills the service without grace and starts it again; resolves when it answers. */
  readonly crash?: (() => Promise<void>) | undefined
  /** Called before each sequence: a service in this process is opened anew. */
  readonly begin?: (() => Promise<void>) | undefined
  /** Called after each. */
  readonly end?: (() => Promise<void>) | undefined
  /** How far the times of feeds may be off, in ms; absent: the machine may be busy, and only the service's own times are compared. */
  readonly toleranceMs?: number | undefined
  /** How many runs of one PARALLEL feed may overlap; default 256. */
  readonly feedOverlap?: number | undefined
}
