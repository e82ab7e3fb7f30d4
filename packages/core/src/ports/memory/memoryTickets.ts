/** Tickets in memory. */
import { Clock, type Context, Effect } from "effect"
import { judgeTicket, keptOn, reserveOf, type TicketRecord } from "../../domain/tickets/ticket.ts"
import type { Tickets } from "../tickets/tickets.ts"
import { existing, type MemoryState } from "./memoryState.ts"

const sweep = (tickets: Map<string, TicketRecord>, nowMs: number): void => {
  for (const [ticketId, { keptUntilMs }] of tickets) if (keptUntilMs <= nowMs) tickets.delete(ticketId)
}

const kept = (tickets: Map<string, TicketRecord>, ticketId: string, nowMs: number): TicketRecord | undefined => {
  const found = tickets.get(ticketId)
  return found === undefined || found.keptUntilMs <= nowMs ? undefined : found
}

/** Tickets over a state. */
export const memoryTickets = (state: MemoryState): Context.Tag.Service<Tickets> => {
  const { tickets } = state
  const now = <A>(step: (nowMs: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, step)
  return {
    issue: (ticket, maxTickets) =>
      now((nowMs) => {
        existing(state.projects, ticket.projectId, "project")
        sweep(tickets, nowMs)
        const own = [...tickets.values()].filter(({ projectId }) => projectId === ticket.projectId)
        // A project whose limit is 0 has none that could become free.
        const freeAtMs = own.reduce((least, { keptUntilMs }) => Math.min(least, keptUntilMs), own[0]?.keptUntilMs ?? nowMs)
        if (own.length >= maxTickets) return { kind: "full", freeAtMs }
        tickets.set(ticket.ticketId, ticket)
        return { kind: "issued" }
      }),
    use: (attempt) =>
      now((nowMs) => {
        const verdict = judgeTicket(kept(tickets, attempt.ticketId, nowMs), attempt, nowMs)
        if (verdict.kind === "opened") tickets.set(attempt.ticketId, verdict.record)
        return verdict
      }),
    reserve: (ticketId, credits) =>
      now((nowMs) => {
        const found = kept(tickets, ticketId, nowMs)
        const verdict = reserveOf(found?.creditsLeft ?? undefined, credits)
        if (found !== undefined && verdict.kind === "reserved") tickets.set(ticketId, { ...found, creditsLeft: verdict.creditsLeft })
        return verdict
      }),
    giveBack: (ticketId, credits) =>
      now((nowMs) => {
        const found = kept(tickets, ticketId, nowMs)
        if (found !== undefined && found.creditsLeft !== null) {
          tickets.set(ticketId, { ...found, creditsLeft: found.creditsLeft + credits })
        }
      }),
    keep: (ticketId) =>
      now((nowMs) => {
        const found = kept(tickets, ticketId, nowMs)
        if (found !== undefined) tickets.set(ticketId, keptOn(found, nowMs))
      })
  }
}
