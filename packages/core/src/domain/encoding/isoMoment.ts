/** Moments as this service writes them, read without a library, so that `verify` stays small. */

const form = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})\.(\d{3})Z$/

const dayMs = 86_400_000
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysOfMonths = (year: number): ReadonlyArray<number> => [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The leap days in the years before this one. */
const leapDaysBefore = (year: number): number => Math.floor((year - 1) / 4) - Math.floor((year - 1) / 100) + Math.floor((year - 1) / 400)

const daysBefore = (year: number): number => (year - 1970) * 365 + leapDaysBefore(year) - leapDaysBefore(1970)

/** The milliseconds since the Unix epoch of `2026-01-31T12:00:00.000Z`; `undefined` if the text has another form or is no moment. */
export const readIsoMoment = (text: string): number | undefined => {
  const match = form.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = match.slice(1).map(Number)
  const days = daysOfMonths(year)
  if (day < 1 || day > (days[month - 1] ?? 0) || hour > 23 || minute > 59 || second > 59) return undefined
  const before = days.slice(0, month - 1).reduce((sum, count) => sum + count, daysBefore(year))
  return (before + day - 1) * dayMs + hour * 3_600_000 + minute * 60_000 + second * 1_000 + ms
}
