/** Lines about requests and runs as JSON, past Effect's loggers: there are two for each run. */
import type { AccessLine, AccessLogging } from "@sibyl/core/internal"
import type { WriteLine } from "@sibyl/telemetry"
import { Clock, Context, Effect } from "effect"

/** Writes those of the parts that are kept. */
export const accessLines = (keeps: (part: AccessLine["part"]) => boolean, write: WriteLine): AccessLogging => ({
  isOn: true,
  write: ({ fields, message, part }) =>
    Effect.withFiberRuntime((fiber) => {
      if (!keeps(part)) return Effect.void
      const atMs = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock).unsafeCurrentTimeMillis()
      write({ atMs, level: "info", message, span: fiber.currentSpan }, { part, ...fields })
      return Effect.void
    })
})
