/** Faults in how a service takes tickets on upgrades, each with the audit that must detect it (D52). */
import { editingAt, withStatus, type WsFault } from "./wsFault.ts"

/** Removes the origin of the page from the request. */
const withoutOrigin = (head: string): string => head.replace(/\r\norigin:[^\r]*/i, "")

/** The faults. */
export const ticketFaults: ReadonlyArray<WsFault> = [
  {
    name: "the ticket is shown again",
    foundBy: "WS-TICKET-001",
    head: (head) => head.replace(/(sec-websocket-protocol: *)sibyl\.v1/i, "$1sibyl.ticket.shown")
  },
  { name: "tickets that are over get 403", foundBy: "WS-TICKET-002", head: withStatus(401, 403) },
  editingAt("another scope is an error of the server", "WS-TICKET-003", ["error"], (error) => {
    if (error["code"] === 36043) error["code"] = 36000
  }),
  { name: "a ticket to read opens a connection", foundBy: "WS-TICKET-003", head: withStatus(403, 401) },
  { name: "tickets for every page", foundBy: "WS-TICKET-004", requestHead: withoutOrigin }
]
