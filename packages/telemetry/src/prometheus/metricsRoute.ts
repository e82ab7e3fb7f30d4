/** `GET /metrics` beside a service: open, or behind a token. */
import { createHash, randomUUID, timingSafeEqual } from "node:crypto"
import {
  allMetrics,
  answerOf,
  errorResponse,
  fetchOf,
  InvalidOption,
  MethodNotAllowed,
  type MetricDescriptor,
  type Series,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
  Unauthorized,
  withoutBodyOfHead
} from "@sibyl/core"
import { Redacted } from "effect"
import { processMetrics } from "../process/processMetricList.ts"
import { exposition, expositionType } from "./exposition.ts"
import { mergeSeries } from "./mergeSeries.ts"

/** Who may read the metrics: everyone who reaches the port, or who sends `Authorization: Bearer` with the token. */
export type MetricsAccess = { readonly kind: "open" } | { readonly kind: "token"; readonly token: Redacted.Redacted }

/** Where metrics are read. */
export interface MetricsRoute {
  readonly access: MetricsAccess
  /** What was measured by each process of the server. */
  readonly read: () => Promise<ReadonlyArray<ReadonlyArray<Series>>>
}

/** Everything that a server measures. */
export const everyMetric: ReadonlyArray<MetricDescriptor> = [...allMetrics, ...processMetrics]

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** What the processes of one server have measured, as text. */
export const metricsTextOf = (ofProcesses: ReadonlyArray<ReadonlyArray<Series>>): string =>
  exposition(everyMetric, mergeSeries(everyMetric, ofProcesses))

/** Takes the same time whatever the token is. */
const isAllowed = (access: MetricsAccess, request: ServiceRequest): boolean => {
  if (access.kind === "open") return true
  const [, sent] = /^bearer +(.+)$/i.exec(request.header("authorization") ?? "") ?? []
  return sent !== undefined && timingSafeEqual(digest(sent), digest(Redacted.value(access.token)))
}

/** Answers a request for metrics. */
export const answerMetrics = async ({ access, read }: MetricsRoute, request: ServiceRequest): Promise<ServiceResponse> => {
  if (request.method !== "GET" && request.method !== "HEAD") {
    const refused = errorResponse(new MethodNotAllowed({ message: `${request.method} is not allowed here` }), randomUUID())
    return { ...refused, headers: { ...refused.headers, allow: "GET, HEAD" } }
  }
  if (!isAllowed(access, request)) {
    return errorResponse(new Unauthorized({ message: "metrics need their own token as Authorization: Bearer" }), randomUUID())
  }
  const text = metricsTextOf(await read())
  const headers = { "content-type": expositionType, "cache-control": "no-store", "x-request-id": randomUUID() }
  return withoutBodyOfHead({ status: 200, headers, body: text }, request.method)
}

const isMetricsPath = (url: string): boolean => url === "/metrics" || url.startsWith("/metrics?")

/** The service with its metrics beside it, under `/metrics` of its mount point. Throws `InvalidOption` for an empty token. */
export const withMetrics = (service: Service, route: MetricsRoute): Service => {
  const { access } = route
  if (access.kind === "token" && Redacted.value(access.token) === "") throw new InvalidOption("access.token", "must not be empty")
  const answer = answerOf(service)
  return { ...service, fetch: fetchOf((request) => (isMetricsPath(request.url) ? answerMetrics(route, request) : answer(request))) }
}
