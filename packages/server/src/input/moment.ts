/** Moments as people write them: a date, a date with time, or a span from now. */
import { Option } from "effect"
import { durationMs } from "./duration.ts"

// An offset is required: without one, a time would mean different moments on different machines.
const form = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** The rule of a moment; completes "must be". */
export const momentRule = "a UTC date (2027-01-31), a time (2027-01-31T12:00:00Z) or a span from now (30d)"

/** `Date` accepts the 30th of February as a day in March. */
const isDay = (day: string): boolean => {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/** The moment in milliseconds since the Unix epoch. */
export const momentMs = (text: string, nowMs: number): Option.Option<number> => {
  const span = durationMs(text)
  if (Option.isSome(span)) return Option.some(nowMs + span.value)
  const match = form.exec(text)
  const at = match === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) || !isDay(match?.[1] ?? "") ? Option.none() : Option.some(at)
}

/** A moment in ISO 8601 in UTC; without milliseconds if they are zero. */
export const momentText = (atMs: number): string => new Date(atMs).toISOString().replace(".000Z", "Z")
