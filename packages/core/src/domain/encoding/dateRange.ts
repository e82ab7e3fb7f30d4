/** Dates of the report filters: ISO 8601 or milliseconds since the epoch; a bare date is its whole UTC day (decision D11). */
import { DateTime, Option } from "effect"

/** An instant, or a day from its first millisecond to the first of the next. `toMs` is exclusive for a day. */
export interface DateSpan {
  readonly fromMs: number
  readonly toMs: number
}

const dayMs = 86_400_000
/** Not of four to eight digits: a year, a month or a day of ISO 8601 (20260131), which would be read as a time in the first 28 hours of 1970. */
const milliseconds = /^(?:[0-9]{1,3}|[0-9]{9,15})$/
const day = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$/
const moment =
  /^(?<date>[0-9]{4}-[0-9]{2}-[0-9]{2})T(?<time>(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?)(?<zone>Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?$/i

/** Only days that exist in the calendar: the engine would read 31 February as 3 March. */
const startOfDayMs = (date: string): number | undefined => {
  if (!day.test(date)) return undefined
  const parsed = Option.getOrUndefined(DateTime.make(`${date}T00:00:00Z`))
  if (parsed === undefined || DateTime.formatIsoDateUtc(parsed) !== date) return undefined
  return DateTime.toEpochMillis(parsed)
}

/** Whether digits are probably seconds: as milliseconds they would be a time between 1970-01-02 and 1973-03-03. */
export const isInSeconds = (text: string): boolean => /^[1-9][0-9]{8,10}$/.test(text)

/** Whether it is a date but for the `+` before its zone, which an unencoded query turns into a space. */
export const hasLostPlus = (text: string): boolean => {
  const written = text.replace(/ (?=[0-9]{2}:?[0-9]{2}$)/, "+")
  return written !== text && readDate(written) !== undefined
}

/** A time without a zone is UTC. `undefined` if the text is no date, digits that may be one, or seconds since the epoch. */
export const readDate = (text: string): DateSpan | undefined => {
  if (isInSeconds(text)) return undefined
  if (milliseconds.test(text)) return { fromMs: Number(text), toMs: Number(text) }
  const startMs = startOfDayMs(text)
  if (startMs !== undefined) return { fromMs: startMs, toMs: startMs + dayMs }
  const { date, time, zone = "Z" } = moment.exec(text)?.groups ?? {}
  if (date === undefined || time === undefined || startOfDayMs(date) === undefined) return undefined
  const offset = /^[+-][0-9]{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  const parsed = Option.getOrUndefined(DateTime.make(`${date}T${time}${offset}`))
  if (parsed === undefined) return undefined
  const ms = DateTime.toEpochMillis(parsed)
  return { fromMs: ms, toMs: ms }
}
