/** The parameters of the report history, and what each has to be (interface, "GET /data-request-reports"; decision D11). */
import { Schema } from "effect"
import { HexId } from "./executeParams.ts"

/** What a date has to be, in the words that a client is told. */
export const dateRule = "must be a date (2026-01-31), an ISO 8601 time (2026-01-31T12:00:00Z) or milliseconds since the epoch"

/** What is said of a time in seconds. */
export const secondsRule = (text: string): string => `must be in milliseconds since the epoch: ${text} looks like seconds, send ${text}000`

/** What the page size has to be, in the words that a client is told. */
export const amountRule = "must be a whole number from 1 to 100"

/** What a cursor has to be, in the words that a client is told. */
export const cursorRule = "must be the nextPageId that an earlier page of these reports ended with"

const text = (description: string) => Schema.optional(Schema.String.annotations({ description }))

/** The query of `GET /data-request-reports`. */
export const ReportsQuery = Schema.Struct({
  drId: HexId.annotations({ description: "the data request id that an execution answered" }),
  startDate: text(`Only runs from this time on, which is inclusive; ${dateRule}`),
  endDate: text(`Only runs before this time, which is exclusive; a bare date counts to the end of its day; ${dateRule}`),
  amount: text(`How many runs a page has at most, 25 when it is left out; ${amountRule}`),
  nextPageId: text(`Where the page begins; the newest run when it is left out; ${cursorRule}`)
})

/** The parameters by name; others are ignored. */
export const reportParameters = ["drId", "startDate", "endDate", "amount", "nextPageId"] as const
