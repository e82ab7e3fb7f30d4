/** Counts answered requests and measures how long they took, by their route. */
import { metricList } from "../../ports/metrics/metricList.ts"
import type { Measuring } from "../../ports/metrics/metrics.ts"
import { matchTarget, type RouteTable } from "../rest/routes.ts"
import { afterAnswer, type AnswerRequest } from "../transport/answering.ts"

/** Where requests are measured, and by what. */
export interface MeasuredBy {
  readonly metrics: Measuring
  readonly routes: RouteTable
  /** The monotonic clock. */
  readonly steadyMs: () => number
}

/** The same, measured; itself if nobody counts. Requests of no route are not the service's, and not counted. */
export const measured = (answer: AnswerRequest, { metrics, routes, steadyMs }: MeasuredBy): AnswerRequest => {
  if (!metrics.isOn) return answer
  return (request) => {
    const startMs = steadyMs()
    return afterAnswer(answer(request), (response) => {
      if (response === undefined) return undefined
      const route = matchTarget(routes, request.url)?.pattern ?? "other"
      metrics.add(metricList.requests, 1, route, String(response.status))
      metrics.observe(metricList.requestSeconds, (steadyMs() - startMs) / 1000, route)
      return response
    })
  }
}
