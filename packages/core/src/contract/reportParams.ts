/** The parameters of the report history and their rules (decision D11). */
import { Schema } from "effect"
import { HexId } from "./executeParams.ts"

/** The rule for a date, as told to clients. */
export const dateRule = "must be a date (2026-01-31), an ISO 8601 time (2026-01-31T12:00:00Z) or milliseconds since the epoch"

/** The message for a time in seconds. */
export const secondsRule = (text: string): string => `must be in milliseconds since the epoch: ${text} looks like seconds, send ${text}000`

/** The message for a time whose zone has lost its `+`. */
export const lostPlusRule = `${dateRule}; a + in a query is read as a space: write %2B`

/** The rule for the page size, as told to clients. */
export const amountRule = "must be a whole number from 1 to 100"

/** The rule for a cursor, as told to clients. */
export const cursorRule = "must be the nextPageId of an earlier page of these reports"

const text = (description: string) => Schema.optional(Schema.String.annotations({ description }))

/** The query of `GET /data-request-reports`. */
export const ReportsQuery = Schema.Struct({
  drId: HexId.annotations({ description: "the drId that an execution returned" }),
  startDate: text(`Only runs that ended at this time or later; ${dateRule}`),
  endDate: text(`Only runs that ended before this time; a bare date counts to the end of its day; ${dateRule}`),
  amount: text(`The maximum number of runs in a page, by default 25; ${amountRule}`),
  nextPageId: text(`Where the page begins, by default at the newest run; ${cursorRule}`)
})

/** The parameters by name; others are ignored. */
export const reportParameters = ["drId", "startDate", "endDate", "amount", "nextPageId"] as const
