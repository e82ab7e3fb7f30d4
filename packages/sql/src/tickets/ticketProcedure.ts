/** The transactions on tickets. */
import {
  type BudgetVerdict,
  type IssueVerdict,
  judgeTicket,
  keptOn,
  reserveOf,
  type TicketAttempt,
  type TicketRecord,
  type TicketVerdict
} from "@sibyl/core"
import type { Plan } from "../database/plan.ts"
import type { Procedure } from "../database/procedure.ts"
import { type Dialect, query } from "../database/query.ts"
import { addTicket, changeTicket, keptTickets, findTicket, sweepTickets } from "./ticketRows.ts"

/** What is done to a ticket. */
export type TicketOrder =
  | { readonly kind: "issue"; readonly ticket: TicketRecord; readonly maxTickets: number }
  | { readonly kind: "use"; readonly attempt: TicketAttempt }
  | { readonly kind: "reserve" | "giveBack"; readonly ticketId: string; readonly credits: bigint }
  | { readonly kind: "keep"; readonly ticketId: string }

/** How each order is answered. */
export type TicketOutcome = boolean | IssueVerdict | TicketVerdict | BudgetVerdict

/** An order, and the time of its caller. */
export interface TicketInput {
  readonly order: TicketOrder
  readonly nowMs: number
}

/** How many tickets an issue removes: more than it adds, so that they do not accumulate. */
const sweptByIssue = 16

/** Locks the project's row, so that concurrent requests of one project are counted one after the other. */
function* issue(dialect: Dialect, ticket: TicketRecord, maxTickets: number, nowMs: number): Plan<IssueVerdict> {
  yield [sweepTickets(dialect, nowMs, sweptByIssue)]
  const { projectId } = ticket
  if (dialect === "pg") yield [query`SELECT project_id FROM projects WHERE project_id = ${projectId} FOR NO KEY UPDATE`]
  const { count, freeAtMs } = yield* keptTickets(projectId, nowMs)
  // A project whose limit is 0 has none that could become free.
  if (count >= maxTickets) return { kind: "full", freeAtMs: count === 0 ? nowMs : freeAtMs }
  yield [addTicket(ticket)]
  return { kind: "issued" }
}

function* use(dialect: Dialect, attempt: TicketAttempt, nowMs: number): Plan<TicketVerdict> {
  const verdict = judgeTicket(yield* findTicket(dialect, attempt.ticketId, nowMs), attempt, nowMs)
  if (verdict.kind === "opened") yield [changeTicket(verdict.record)]
  return verdict
}

function* reserve(dialect: Dialect, ticketId: string, credits: bigint, nowMs: number): Plan<BudgetVerdict> {
  const found = yield* findTicket(dialect, ticketId, nowMs)
  const verdict = reserveOf(found?.creditsLeft ?? undefined, credits)
  if (found !== undefined && verdict.kind === "reserved") yield [changeTicket({ ...found, creditsLeft: verdict.creditsLeft })]
  return verdict
}

/** Changes a ticket, if it is kept. */
function* change(dialect: Dialect, ticketId: string, nowMs: number, changed: (found: TicketRecord) => TicketRecord): Plan<boolean> {
  const found = yield* findTicket(dialect, ticketId, nowMs)
  if (found !== undefined) yield [changeTicket(changed(found))]
  return found !== undefined
}

const given = (ticket: TicketRecord, credits: bigint): TicketRecord =>
  ticket.creditsLeft === null ? ticket : { ...ticket, creditsLeft: ticket.creditsLeft + credits }

const carryOut = (dialect: Dialect, { nowMs, order }: TicketInput): Plan<TicketOutcome> => {
  switch (order.kind) {
    case "issue":
      return issue(dialect, order.ticket, order.maxTickets, nowMs)
    case "use":
      return use(dialect, order.attempt, nowMs)
    case "reserve":
      return reserve(dialect, order.ticketId, order.credits, nowMs)
    case "giveBack":
      return change(dialect, order.ticketId, nowMs, (ticket) => given(ticket, order.credits))
    case "keep":
      return change(dialect, order.ticketId, nowMs, (ticket) => keptOn(ticket, nowMs))
  }
}

/** Carries out an order. */
export const ticketProcedure: Procedure<TicketInput, TicketOutcome> = { name: "ticket", plan: carryOut }
