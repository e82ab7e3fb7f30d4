/** Counts and measures the outbound requests of programs, by the host that they asked. */
import { type HttpFetch, type Measuring, metricList, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { type Context, Effect } from "effect"

/** Hosts whose staleness is told. */
const hostsKept = 50

const hostOf = ({ url }: OutboundRequest): string => (URL.canParse(url) ? new URL(url).host : "none")

const outcomeOf = (response: OutboundResponse): string =>
  response.kind === "answered"
    ? `${Math.floor(response.status / 100)}xx`
    : response.timedOut
      ? "timeout"
      : response.isResting === true
        ? "resting"
        : "refused"

/** The same requests, measured; itself if nobody counts. `steadyMs` is the monotonic clock. */
export const measuredFetch = (
  http: Context.Tag.Service<HttpFetch>,
  metrics: Measuring,
  steadyMs: () => number
): Context.Tag.Service<HttpFetch> => {
  if (!metrics.isOn) return http
  /** When each host answered well last, or was asked first. */
  const well = new Map<string, number>()
  const keepStaleness = (host: string): void => {
    if (well.has(host) || well.size >= hostsKept) return
    well.set(host, steadyMs())
    metrics.read(metricList.upstreamStaleness, () => (steadyMs() - (well.get(host) ?? 0)) / 1000, host)
  }
  const measure = (host: string, startMs: number, response: OutboundResponse): void => {
    const outcome = outcomeOf(response)
    metrics.add(metricList.upstreamRequests, 1, host, outcome)
    metrics.observe(metricList.upstreamSeconds, (steadyMs() - startMs) / 1000, host)
    if (response.kind !== "answered") return
    metrics.add(metricList.upstreamBytes, response.bytes.length, host)
    if ((outcome === "2xx" || outcome === "3xx") && well.has(host)) well.set(host, steadyMs())
  }
  return {
    fetch: (request) =>
      Effect.suspend(() => {
        const startMs = steadyMs()
        const host = hostOf(request)
        keepStaleness(host)
        return Effect.map(http.fetch(request), (response) => {
          measure(host, startMs, response)
          return response
        })
      })
  }
}
