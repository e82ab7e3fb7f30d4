/** One line of the log for each request, over HTTP and over WebSockets. */
import { Clock, Context, Effect } from "effect"
import { onEnd } from "../fibers/plainEnds.ts"
import { type AccessLine, AccessLog, type LineFields, writeLine } from "./accessLog.ts"

/** How long a request took, as its line tells it: in milliseconds, to the hundredth. */
export const tookMs = (tookNanos: bigint): number => Math.round(Number(tookNanos) / 1e4) / 100

/** The line of a request. */
export const requestLine = (fields: LineFields): AccessLine => ({ part: "requests", message: "request", fields })

/** The request, and its line when it has ended; the request itself where nobody wants one. `fieldsOf` is asked only then. */
export const logRequest = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  fieldsOf: (answer: A | undefined, ms: number) => LineFields
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => {
    const { isOn, write } = Context.get(fiber.currentContext, AccessLog)
    if (!isOn) return request
    const clock = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock)
    const startNanos = clock.unsafeCurrentTimeNanos()
    return onEnd(request, (exit) => {
      const ms = tookMs(clock.unsafeCurrentTimeNanos() - startNanos)
      return writeLine(write, requestLine(fieldsOf(exit._tag === "Success" ? exit.value : undefined, ms)), fiber)
    })
  })
