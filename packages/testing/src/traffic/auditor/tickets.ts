/** The tickets of a history: who asked for each, what it allows, and which connections asked to be opened by it. */
import type { History, Moment, RestCall, SocketHistory } from "../history/history.ts"
import { parsed, textAt } from "../history/json.ts"
import type { Asked } from "./askedRun.ts"
import { askedTicketOf, type TicketScope, type TicketTerms } from "./askedTicket.ts"

/** A ticket that was given to a client. */
export interface Ticket {
  readonly ticketId: string | undefined
  readonly key: string | undefined
  readonly step: number | undefined
  readonly terms: TicketTerms
  /** It was made between these two. */
  readonly from: Moment
  readonly to: Moment
  /** Every attempt to open a connection by it, in order. */
  readonly attempts: ReadonlyArray<SocketHistory>
}

/** Whether a request is for a ticket. */
export const isTicketCall = ({ method, path }: RestCall): boolean => method === "POST" && path === "/tickets"

/** The tickets by their texts. */
export const ticketsOf = ({ calls, sockets }: History): ReadonlyMap<string, Ticket> =>
  new Map(
    calls.filter(isTicketCall).flatMap((call): ReadonlyArray<readonly [string, Ticket]> => {
      const { answer, key, sent: from, step } = call
      const json = parsed(answer?.text ?? "")
      const text = textAt(json, "ticket")
      const asked = askedTicketOf(call)
      if (answer?.status !== 201 || text === undefined || asked.kind !== "ticket") return []
      const attempts = sockets.filter(({ ticket }) => ticket === text)
      return [[text, { ticketId: textAt(json, "ticketId"), key, step, terms: asked.terms, from, to: answer, attempts }]]
    })
  )

/** The ticket behind a connection; `undefined` if a key has opened it. */
export const ticketOf = (tickets: ReadonlyMap<string, Ticket>, socket: SocketHistory | undefined): Ticket | undefined =>
  socket?.ticket === undefined ? undefined : tickets.get(socket.ticket)

/** Whether a ticket does not allow a request on its connection: one of these scopes has to be among its own, and the programs, too. */
export const isOutside = (ticket: Ticket | undefined, scopes: ReadonlyArray<TicketScope>, asked: Asked): boolean => {
  if (ticket === undefined) return false
  const { allow, programs } = ticket.terms
  const isOther = (id: string): boolean => programs !== undefined && !programs.includes(id)
  return (
    !scopes.some((scope) => allow.includes(scope)) ||
    (asked.kind === "run" && [asked.run.execProgramId, asked.run.tallyProgramId].some(isOther))
  )
}
