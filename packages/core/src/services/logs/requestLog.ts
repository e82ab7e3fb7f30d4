/** One line of the log for each request, over HTTP and over WebSockets. */
import { Clock, Context, Effect } from "effect"
import { type AccessLine, AccessLog, type LineFields, writeLine } from "./accessLog.ts"

/** The line of a request that took this long. */
export const requestLine = (fields: LineFields, tookNanos: bigint): AccessLine => ({
  part: "requests",
  message: "request",
  fields: { ...fields, ms: Math.round(Number(tookNanos) / 1e4) / 100 }
})

/** The request, and its line when it has ended; the request itself where nobody wants one. `fieldsOf` is asked only then. */
export const logRequest = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  fieldsOf: (answer: A | undefined) => LineFields
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => {
    const { isOn, write } = Context.get(fiber.currentContext, AccessLog)
    if (!isOn) return request
    const clock = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock)
    const startNanos = clock.unsafeCurrentTimeNanos()
    return Effect.onExit(request, (exit) =>
      writeLine(write, requestLine(fieldsOf(exit._tag === "Success" ? exit.value : undefined), clock.unsafeCurrentTimeNanos() - startNanos))
    )
  })
