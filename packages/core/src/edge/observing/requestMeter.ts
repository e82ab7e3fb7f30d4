/** Counts answered requests and measures how long they took, by their route. */
import { metricList } from "../../ports/metrics/metricList.ts"
import type { Measuring } from "../../ports/metrics/metrics.ts"
import { isOverProjectLimit } from "../../services/admission/admission.ts"
import { matchTarget, type RouteTable } from "../rest/routes.ts"
import type { DatedResponse } from "../rest/validity.ts"
import type { AnswerRequest } from "../transport/answering.ts"

/** Where requests are measured, and by what. */
export interface MeasuredBy {
  readonly metrics: Measuring
  readonly routes: RouteTable
  /** The monotonic clock. */
  readonly steadyMs: () => number
}

/** Measures requests from within: a promise around each of them would cost more than the measuring. */
export interface RequestMeter {
  /** Begins to measure a request of this route; what it returns takes the answer and gives it back. */
  readonly begin: (route: string) => <Answer extends DatedResponse>(answer: Answer) => Answer
  /** The same, but what is answered at once is measured here; the others are by {@link begin}. */
  readonly around: (answer: AnswerRequest) => AnswerRequest
}

const asItIs = <Answer>(answer: Answer): Answer => answer

const unmeasured: RequestMeter = { begin: () => asItIs, around: asItIs }

/** Measures nothing if nobody counts. Requests of no route are not the service's, and not counted. */
export const requestMeter = ({ metrics, routes, steadyMs }: MeasuredBy): RequestMeter => {
  if (!metrics.isOn) return unmeasured
  const ended = (route: string, status: number, startMs: number): void => {
    metrics.add(metricList.requests, 1, route, String(status))
    metrics.observe(metricList.requestSeconds, (steadyMs() - startMs) / 1000, route)
  }
  return {
    begin: (route) => {
      const startMs = steadyMs()
      return (answer) => {
        ended(route, answer.status, startMs)
        if (answer.failure !== undefined && isOverProjectLimit(answer.failure)) metrics.add(metricList.overProjectLimit, 1)
        return answer
      }
    },
    around: (answer) => (request) => {
      const startMs = steadyMs()
      const answering = answer(request)
      if (answering === undefined || answering instanceof Promise) return answering
      ended(matchTarget(routes, request.url)?.pattern ?? "other", answering.status, startMs)
      return answering
    }
  }
}
