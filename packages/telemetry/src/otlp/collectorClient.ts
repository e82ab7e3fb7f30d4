/** The HTTP client that reaches the collector: few requests at once, none for long, and one log line when something is dropped and when nothing is any more. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Cause, Clock, Effect, Option, Schedule } from "effect"
import { logPart } from "@sibyl/core/internal"
import type { Signal } from "./sentItems.ts"

/** Requests at once, of all signals together; what would be one more is dropped. */
const maxUnderWay = 6

/** How long nothing may have been dropped until the collector is said to be back. After a failure, the exporter of a signal is off for a minute. */
const calmMs = 60_000

const again = Schedule.intersect(Schedule.exponential(500), Schedule.recurs(2))

/** Statuses after which the collector asks to be tried again (OTLP, section "Failures"). */
const isPassing = (status: number): boolean => [429, 502, 503, 504].includes(status)

/** The exporter's own tries are switched off by a reason for which it makes none: it would keep everything that it has to send meanwhile. */
const givenUp = (request: HttpClientRequest.HttpClientRequest, description: string): HttpClientError.RequestError =>
  new HttpClientError.RequestError({ request, reason: "Encode", description })

/** Without the address, in which a key may stand. */
const reasonOf = (error: HttpClientError.HttpClientError): string =>
  error._tag === "ResponseError" ? `it answers with ${error.response.status}` : (error.description ?? "it cannot be reached")

/** How many items of each signal were dropped since the service began. */
export type DroppedItems = () => Readonly<Record<Signal, number>>

/** What happened to a request. */
export type Ended = (request: HttpClientRequest.HttpClientRequest, isTaken: boolean) => void

const entry = (line: Effect.Effect<void>): Effect.Effect<void> => Effect.annotateLogs(line, logPart("telemetry"))

/** How the collector is reached, and what is kept of that. */
export interface CollectorWatch {
  /** Names the collector in the log. */
  readonly origin: string
  /** How long the collector may take for one try. */
  readonly timeoutMs: number
  readonly ended: Ended
  readonly dropped: DroppedItems
}

/** A request that is made again if that may help; each try ends in time. */
const triedAgain = (
  answered: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>,
  request: HttpClientRequest.HttpClientRequest,
  timeoutMs: number
) =>
  answered.pipe(
    // The connection is free again only when the answer is read.
    Effect.tap((response) => Effect.ignore(response.text)),
    Effect.filterOrFail(
      ({ status }) => status >= 200 && status < 300,
      (response) => new HttpClientError.ResponseError({ request, response, reason: "StatusCode" })
    ),
    Effect.timeoutFail({
      duration: timeoutMs,
      onTimeout: () => new HttpClientError.RequestError({ request, reason: "Transport", description: "it does not answer in time" })
    }),
    Effect.retry({
      schedule: again,
      while: (error) => error._tag === "RequestError" || isPassing(error.response.status)
    }),
    Effect.catchAll((error) => Effect.fail(givenUp(request, reasonOf(error))))
  )

/** The client with these bounds. */
export const collectorClient = (
  client: HttpClient.HttpClient,
  { dropped, ended, origin, timeoutMs }: CollectorWatch
): HttpClient.HttpClient => {
  let underWay = 0
  let isDropping = false
  let droppedAtMs = 0
  /** What was dropped when that was last told. */
  let told: Readonly<Record<Signal, number>> = { traces: 0, metrics: 0, logs: 0 }
  const droppedMeanwhile = (): Readonly<Record<string, number>> => {
    const [before, now] = [told, dropped()]
    told = now
    const { logs, metrics, traces } = now
    return { droppedSpans: traces - before.traces, droppedMetrics: metrics - before.metrics, droppedRecords: logs - before.logs }
  }
  const taken = Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    if (!isDropping || nowMs - droppedAtMs < calmMs) return Effect.void
    isDropping = false
    return entry(Effect.annotateLogs(Effect.logInfo(`telemetry is sent to ${origin} again`), droppedMeanwhile()))
  })
  const lost = (reason: string): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      droppedAtMs = nowMs
      if (isDropping) return Effect.void
      isDropping = true
      const facts = { reason, ...droppedMeanwhile() }
      return entry(Effect.annotateLogs(Effect.logWarning(`telemetry cannot be sent to ${origin}; it is dropped until it can`), facts))
    })
  return HttpClient.transform(client, (answered, request) => {
    const tried = triedAgain(answered, request, timeoutMs)
    return Effect.suspend(() => {
      if (underWay >= maxUnderWay) {
        ended(request, false)
        const reason = `${maxUnderWay} requests wait for its answers`
        return Effect.zipRight(lost(reason), Effect.fail(givenUp(request, reason)))
      }
      underWay += 1
      return Effect.onExit(tried, (exit) => {
        underWay -= 1
        ended(request, exit._tag === "Success")
        if (exit._tag === "Success") return taken
        return lost(Option.match(Cause.failureOption(exit.cause), { onNone: () => "the service ends", onSome: reasonOf }))
      })
    })
  })
}
