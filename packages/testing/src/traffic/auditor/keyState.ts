/** Whether a key works, by what its operator did. */
import { type History, isBefore, type Moment } from "../history/history.ts"

/** Whether a key works in a span: certainly, certainly not, or it was revoked meanwhile. */
export const keyStateIn = (
  { keys }: History,
  text: string | undefined,
  from: Moment,
  to: Moment | undefined
): "valid" | "invalid" | "either" => {
  const key = keys.find((known) => known.text === text)
  if (key === undefined) return "invalid"
  if (key.revoked === undefined) return "valid"
  if (isBefore(key.revoked.to, from)) return "invalid"
  return to !== undefined && isBefore(to, key.revoked.from) ? "valid" : "either"
}
