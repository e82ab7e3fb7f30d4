/** Lines about requests and runs as JSON, past Effect's loggers: there are two for each run. */
import type { AccessLine, AccessLogging } from "@sibyl/core/internal"
import type { WriteLine } from "@sibyl/telemetry"

/** Writes those of the parts that are kept. */
export const accessLines = (keeps: (part: AccessLine["part"]) => boolean, write: WriteLine): AccessLogging => ({
  isOn: true,
  write: ({ fields, message, part }, { atMs, span }) => {
    if (keeps(part)) write({ atMs, level: "info", message, span }, part, fields)
    return undefined
  }
})
