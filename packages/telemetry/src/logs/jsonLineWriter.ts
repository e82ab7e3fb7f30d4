/** Lines of JSON without an entry of Effect's, which costs several times as much: for those of which there are thousands a second. */
import type { Mask } from "./cleanLog.ts"
import { lineOf, type WriteLine } from "./jsonLine.ts"
import { writeLineLater } from "./lineWriter.ts"

/** Writes a line to standard error, by default, within 20 ms, as `logLines("json", mask)` would write its entry. */
export const jsonLineWriter =
  (mask: Mask, write: (line: string) => void = writeLineLater): WriteLine =>
  (head, fields) =>
    write(lineOf(head, JSON.stringify(fields).slice(1, -1), mask))
