/** What each route that takes a key asks of a ticket; an empty list: it takes a key. */
import type { TicketScope } from "../../domain/tickets/ticket.ts"
import type { KeyedName } from "./routes.ts"

/** One of these must be allowed. A quote is read through the routes of execution, which ask again before anything runs. */
export const ticketScopesOf: Readonly<Record<KeyedName, ReadonlyArray<TicketScope>>> = {
  execute: ["execute", "read"],
  executeWithBody: ["execute", "read"],
  lastResult: ["read"],
  lastResultWithBody: ["read"],
  dataRequestReports: ["read"],
  feeds: ["feeds"],
  feed: ["feeds"],
  // A durable feed would outlive the ticket.
  createFeed: [],
  removeFeed: [],
  verify: ["read"],
  programs: ["read"],
  program: ["read"],
  project: [],
  keys: [],
  // It has what the program was answered, and the program.
  recording: [],
  createTicket: []
}
