/** One line of the log for each request, over HTTP and over WebSockets. */
import { Clock, Context, Effect } from "effect"
import { AccessLog, type LineFields } from "./accessLog.ts"

/** The request, and its line when it has ended; the request itself where nobody wants one. `fieldsOf` is asked only then; `undefined`: no line. */
export const logRequest = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  fieldsOf: (answer: A | undefined) => LineFields | undefined
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => {
    const { isOn, write } = Context.get(fiber.currentContext, AccessLog)
    if (!isOn) return request
    const clock = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock)
    const startNanos = clock.unsafeCurrentTimeNanos()
    return Effect.onExit(request, (exit) => {
      const fields = fieldsOf(exit._tag === "Success" ? exit.value : undefined)
      if (fields === undefined) return Effect.void
      const ms = Math.round(Number(clock.unsafeCurrentTimeNanos() - startNanos) / 1e4) / 100
      return write({ part: "requests", message: "request", fields: { ...fields, ms } })
    })
  })
