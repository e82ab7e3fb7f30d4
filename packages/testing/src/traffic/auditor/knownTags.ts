/** The answers that traffic can meet, by `_tag`. */
import { errorsOfRunsWithout, type SentAs, wireErrors } from "../../wire/wireErrors.ts"

/** How each is sent. No traffic is a reason for an internal error; what is not JSON is answered without an id, and judged by its code. */
export const knownTags: Readonly<Record<string, SentAs>> = {
  ExecuteResponse: { status: 200 },
  QuoteResponse: { status: 200 },
  ...errorsOfRunsWithout("InternalError", "ParseError"),
  OutsideTicket: wireErrors.OutsideTicket,
  TicketLimit: wireErrors.TicketLimit
}

/** A service that is too busy may refuse any request that would run something. */
export const busyTags = ["Overloaded", "Unavailable"] as const
