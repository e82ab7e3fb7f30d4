/** Moments as answers show them: ISO 8601 in UTC, with milliseconds. */
import { DateTime } from "effect"

/** The text of a moment, ms since the Unix epoch. */
export const isoOf = (ms: number): string => DateTime.formatIso(DateTime.unsafeMake(ms))

/** The same of a moment that may not come. */
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms))
