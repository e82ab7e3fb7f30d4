/** Lines of JSON without an entry of Effect's, which costs several times as much: for those of which there are thousands a second. */
import { withoutOrders } from "./cleanLog.ts"
import { type LineFields, lineOf, type WriteLine } from "./jsonLine.ts"
import { writeLineLater } from "./lineWriter.ts"

const membersOf = (part: string, fields: LineFields): string => {
  const rest = JSON.stringify(fields).slice(1, -1)
  return `"part":${JSON.stringify(part)}${rest === "" ? "" : `,${rest}`}`
}

const asItIs = (line: string): string => line

/** Writes a line to standard error, by default, within 20 ms, as `logLines("json", mask)` would write its entry; secrets are still in it. */
export const jsonLineWriter =
  (write: (line: string) => void = writeLineLater): WriteLine =>
  (head, part, fields) =>
    write(lineOf(head, membersOf(part, fields), head.isPlain === true ? asItIs : withoutOrders))
