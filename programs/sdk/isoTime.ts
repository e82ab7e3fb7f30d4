/** Times as ISO 8601 in UTC, in the Gregorian calendar. */
import { jsonInteger } from "./jsonWriter"

/** The last second of the year 9999. */
export const maxTimeS: i64 = 253402300799

/** Whole days since 1 January 1970 as a date. */
export class CalendarDate {
  year: i32 = 0
  /** 1 to 12. */
  month: i32 = 0
  /** 1 to 31. */
  day: i32 = 0

  /** The date of a day from 1970 to 9999, counted from 1 March 0000, so that leap days are at the end of years. */
  constructor(daysSince1970: i32) {
    const days = daysSince1970 + 719468
    const era = days / 146097
    const dayOfEra = days - era * 146097
    const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
    const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    const monthFromMarch = (5 * dayOfYear + 2) / 153
    this.day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    this.month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    this.year = yearOfEra + era * 400 + (this.month < 3 ? 1 : 0)
  }
}

/** A second from 1970 to 9999 as `2025-11-20T12:00:00.000Z`. */
export function isoTime(seconds: i64): string {
  const date = new CalendarDate(<i32>(seconds / 86400))
  const second = <i32>(seconds % 86400)
  return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T" +
    padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2) + ".000Z"
}

function padded(value: i32, digits: i32): string {
  return jsonInteger(value).padStart(digits, "0")
}
