/** The contract of `POST /tickets` (decision D52). */
import { Schema } from "effect"

const described = <A, I>(schema: Schema.Schema<A, I>, description: string) => Schema.optional(schema.annotations({ description }))

/** The body of `POST /tickets`. */
export const TicketBody = Schema.Struct({
  expiresInMs: described(Schema.Int, "how long it may be presented, in milliseconds: 1,000 to 3,600,000; default 60,000"),
  maxUses: described(Schema.Int, "how many WebSocket connections or REST requests it opens together: 1 to 1,000; default 1"),
  allow: described(
    Schema.Array(Schema.Literal("execute", "feeds", "read")),
    "what for: runs; feeds over WebSocket; stored results, reports, quotes, names of programs and GET /verify. Default: all three"
  ),
  programs: described(
    Schema.Array(Schema.String),
    "1 to 100 ids or names; a request's programs must be among them, a name is what it means now. Default: those of the project"
  ),
  origins: described(
    Schema.Array(Schema.String),
    "1 to 100 origins such as https://app.example, one of which must be in the header Origin"
  ),
  maxCredits: described(
    Schema.String,
    "decimal, above 0: what all runs under the ticket may cost together. Each run reserves its maximum price and gives back what it did not cost"
  )
}).annotations({ identifier: "TicketBody" })

/** A new ticket. It is shown once. */
export const TicketAnswer = Schema.Struct({
  ticket: Schema.String.annotations({ description: "for Authorization: Bearer, or as WebSocket subprotocol; shown once" }),
  ticketId: Schema.String,
  expiresAt: Schema.String.annotations({ description: "ISO 8601, UTC" }),
  subprotocols: Schema.Array(Schema.String).annotations({
    description: "what a browser gives to new WebSocket(url, subprotocols); the service selects the first one"
  })
}).annotations({ identifier: "Ticket" })

/** The subprotocol that the service selects if a client offers it. */
export const webSocketProtocol = "sibyl.v1"

/** Begins the subprotocol that carries a ticket, which is never selected. */
export const ticketProtocolPrefix = "sibyl.ticket."
