/** Lines of JSON without an entry of Effect's, which costs several times as much: for those of which there are thousands a second. */
import { byName } from "./byName.ts"
import { withoutOrders } from "./cleanLog.ts"
import { type LineFields, lineOf, type WriteLine } from "./jsonLine.ts"
import { writeLineLater } from "./lineWriter.ts"

/** What stands before the value of a member. */
const before = byName((name) => `,"${name}":`)

/** Of texts that are the same within quotes: half of the time of `JSON.stringify`. */
const plainMembersOf = (part: string, fields: LineFields): string => {
  let text = `"part":"${part}"`
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    text += typeof value === "string" ? `${before(name)}"${value}"` : `${before(name)}${Number.isFinite(value) ? value : "null"}`
  }
  return text
}

const membersOf = (part: string, fields: LineFields): string => {
  const rest = JSON.stringify(fields).slice(1, -1)
  return `"part":${JSON.stringify(part)}${rest === "" ? "" : `,${rest}`}`
}

const asItIs = (line: string): string => line

/** Writes a line to standard error, by default, within 20 ms, as `logLines("json", mask)` would write its entry; secrets are still in it. */
export const jsonLineWriter =
  (write: (line: string) => void = writeLineLater): WriteLine =>
  (head, part, fields) =>
    write(head.isPlain === true ? lineOf(head, plainMembersOf(part, fields), asItIs) : lineOf(head, membersOf(part, fields), withoutOrders))
