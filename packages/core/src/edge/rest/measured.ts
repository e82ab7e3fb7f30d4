/** Counts answered requests and measures how long they took, by their route. */
import { metricList } from "../../ports/metrics/metricList.ts"
import type { Measuring } from "../../ports/metrics/metrics.ts"
import { matchTarget, type RouteTable } from "./routes.ts"
import type { Service } from "../transport/seam.ts"

/** Where requests are measured, and by what. */
export interface MeasuredBy {
  readonly metrics: Measuring
  readonly routes: RouteTable
  /** The monotonic clock. */
  readonly steadyMs: () => number
}

/** The same `fetch`, measured; itself if nobody counts. Requests of no route are not the service's, and not counted. */
export const measured = (fetch: Service["fetch"], { metrics, routes, steadyMs }: MeasuredBy): Service["fetch"] => {
  if (!metrics.isOn) return fetch
  return async (request) => {
    const startMs = steadyMs()
    const response = await fetch(request)
    if (response === undefined) return undefined
    const route = matchTarget(routes, request.url)?.pattern ?? "other"
    metrics.add(metricList.requests, 1, route, String(response.status))
    metrics.observe(metricList.requestSeconds, (steadyMs() - startMs) / 1000, route)
    return response
  }
}
