/** Lines about requests and runs as JSON, past Effect's loggers: there are two for each run, and such a line costs a fraction of an entry. */
import type { AccessLine, AccessLogging } from "@sibyl/core/internal"
import { Clock, Context, Effect } from "effect"
import type { Mask } from "./cleanLog.ts"
import { lineOf } from "./jsonLine.ts"
import { writeLine } from "./lineWriter.ts"

/** Writes what `logLines("json", mask)` would write of them, of the parts that are kept. */
export const accessLines = (keeps: (part: AccessLine["part"]) => boolean, mask: Mask, write = writeLine): AccessLogging => ({
  isOn: true,
  write: ({ fields, message, part }) =>
    Effect.withFiberRuntime((fiber) => {
      if (!keeps(part)) return Effect.void
      const at = new Date(Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock).unsafeCurrentTimeMillis())
      const members = JSON.stringify({ part, ...fields }).slice(1, -1)
      write(lineOf({ at, level: "info", message, span: fiber.currentSpan }, members, mask))
      return Effect.void
    })
})
