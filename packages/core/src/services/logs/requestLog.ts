/** One line of the log for each request, over HTTP and over WebSockets. */
import { Clock, Effect } from "effect"
import { AccessLog } from "./accessLog.ts"
import { logPart } from "../../domain/settings/logPart.ts"

/** What a line tells of a request. */
export type RequestFields = Readonly<Record<string, string | number>>

/** The request, and its line when it has ended; the request itself where nobody wants one. `fieldsOf` is asked only then; `undefined`: no line. */
export const logRequest = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  fieldsOf: (answer: A | undefined) => RequestFields | undefined
): Effect.Effect<A, E, R> =>
  Effect.flatMap(AccessLog, ({ isOn }) => {
    if (!isOn) return request
    return Effect.flatMap(Clock.currentTimeNanos, (startNanos) =>
      Effect.onExit(request, (exit) => {
        const fields = fieldsOf(exit._tag === "Success" ? exit.value : undefined)
        if (fields === undefined) return Effect.void
        return Effect.flatMap(Clock.currentTimeNanos, (endNanos) => {
          const ms = Math.round(Number(endNanos - startNanos) / 1e4) / 100
          return Effect.annotateLogs(Effect.logInfo("request"), { ...logPart("requests"), ...fields, ms })
        })
      })
    )
  })
