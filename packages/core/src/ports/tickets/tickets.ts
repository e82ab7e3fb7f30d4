/** The port to tickets, with which browsers get in (decision D52). */
import { Context, type Effect } from "effect"
import type { BudgetVerdict, IssueVerdict, TicketAttempt, TicketRecord, TicketVerdict } from "../../domain/tickets/ticket.ts"

/** Stores tickets until they are spent. Changes are durable, and of many at once, also in other processes, each has its own effect. */
export class Tickets extends Context.Tag("@sibyl/core/Tickets")<
  Tickets,
  {
    /**
     * Stores a new ticket, unless the project has `maxTickets` that are kept; of a project that is not there it is a defect. Tickets
     * that need not be kept any more are swept.
     */
    readonly issue: (ticket: TicketRecord, maxTickets: number) => Effect.Effect<IssueVerdict>
    /** Takes one use, if `judgeTicket` allows it. */
    readonly use: (attempt: TicketAttempt) => Effect.Effect<TicketVerdict>
    /** Takes credits out of the ticket's budget. */
    readonly reserve: (ticketId: string, credits: bigint) => Effect.Effect<BudgetVerdict>
    /** Puts credits back that were reserved. A call whose outcome is unknown must not be repeated. */
    readonly giveBack: (ticketId: string, credits: bigint) => Effect.Effect<void>
    /**
     * Keeps the ticket's budget for `ticketKeptMs` from now; for connections that live on after the ticket has expired. One that nobody has
     * kept in time does not come back.
     */
    readonly keep: (ticketId: string) => Effect.Effect<void>
  }
>() {}
