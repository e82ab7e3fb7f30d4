/** What is logged, as it may be shown: no secrets, and nothing that a terminal would take for an order. */
import { Array as Arr, Cause, HashMap, type Logger } from "effect"

/** Takes secrets out of a text. */
export type Mask = (text: string) => string

// What is controlled in a terminal, and what changes the direction of the text. Line breaks and tabs of our own texts stay.
const orders = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text with each of these characters written as `\u....`. */
export const withoutOrders = (text: string): string =>
  text.replace(orders, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A value as it is shown: texts are cleaned, also deep inside of it. */
const cleaned = (value: unknown, clean: Mask): unknown => {
  if (typeof value === "string") return clean(value)
  if (value === null || typeof value === "number" || typeof value === "boolean" || value === undefined) return value
  if (typeof value === "bigint") return String(value)
  if (value instanceof Error) return clean(`${value.name}: ${value.message}`)
  try {
    return JSON.parse(clean(JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part)) ?? "null"))
  } catch {
    return clean(typeof value)
  }
}

/** A log entry in which everything is clean; what has failed is a text behind the message. */
export const cleanLog = (entry: Logger.Logger.Options<unknown>, mask: Mask): Logger.Logger.Options<unknown> => {
  const clean: Mask = (text) => withoutOrders(mask(text))
  const causes = Cause.isEmpty(entry.cause) ? [] : [clean(Cause.pretty(entry.cause, { renderErrorCause: true }))]
  const message = [...Arr.ensure(entry.message).map((part) => cleaned(part, clean)), ...causes]
  return { ...entry, message, cause: Cause.empty, annotations: HashMap.map(entry.annotations, (value) => cleaned(value, clean)) }
}
