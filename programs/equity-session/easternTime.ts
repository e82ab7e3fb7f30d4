/** US Eastern time with daylight saving, for every time since 1970, by the laws of each year. */
import { CalendarDate } from "../sdk/isoTime"

const day: i64 = 86400

/** Seconds since 1970 as Eastern clocks show them at a time (epoch seconds). */
export function easternSeconds(timeS: i64): i64 {
  const standard = timeS - 5 * 3600
  return isDaylightSaving(standard) ? standard + 3600 : standard
}

/**
 * Whether daylight saving is in force at a moment, given in standard time. It begins at 2:00 standard time and ends at
 * 2:00 daylight time, which is 1:00 standard time.
 */
function isDaylightSaving(standard: i64): bool {
  const year = new CalendarDate(<i32>(standard / day)).year
  return standard >= firstDay(year) * day + 2 * 3600 && standard < lastDay(year) * day + 3600
}

/** The first day of daylight saving in a year, in days since 1970. */
function firstDay(year: i32): i32 {
  if (year >= 2007) return sunday(year, 3, 8)
  if (year >= 1987) return sunday(year, 4, 1)
  // Two winters of the oil crisis.
  if (year == 1974) return daysTo(1974, 1, 6)
  if (year == 1975) return daysTo(1975, 2, 23)
  return sunday(year, 4, 24)
}

/** The last day of it. */
function lastDay(year: i32): i32 {
  return year >= 2007 ? sunday(year, 11, 1) : sunday(year, 10, 25)
}

/** The first Sunday on or after a date. */
function sunday(year: i32, month: i32, date: i32): i32 {
  const days = daysTo(year, month, date)
  return days + (6 - (days + 3) % 7)
}

/** The days from 1 January 1970 to a date. */
function daysTo(year: i32, month: i32, date: i32): i32 {
  const before = year - 1
  const leapDays = before / 4 - before / 100 + before / 400 - 477
  const isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
  return (year - 1970) * 365 + leapDays + (367 * month - 362) / 12 - (month < 3 ? 0 : isLeap ? 1 : 2) + date - 1
}
