/** The loggers of a server: lines of JSON for machines, or the pretty form for people, both without secrets. */
import { Logger } from "effect"
import { cleanLog, type Mask } from "./cleanLog.ts"
import { jsonLine } from "./jsonLine.ts"
import { writeLine } from "./lineWriter.ts"

/** How a log is written. */
export type LogFormat = "json" | "pretty"

/** The logger that writes to standard error. */
export const logLines = (format: LogFormat, mask: Mask): Logger.Logger<unknown, void> => {
  if (format === "json") return Logger.make((entry) => writeLine(jsonLine(entry, mask)))
  const pretty = Logger.prettyLogger({ stderr: true })
  return Logger.make((entry) => pretty.log(cleanLog(entry, mask)))
}
