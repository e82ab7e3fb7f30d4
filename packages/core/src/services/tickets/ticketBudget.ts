/** Runs of a ticket with a budget: each reserves its maximum price and gives back what it did not cost; never overdrawn. */
import { Cause, type Context, Effect, Exit } from "effect"
import { InsufficientCredits } from "../../contract/errors.ts"
import type { TicketGrant } from "../../domain/tickets/ticket.ts"
import type { Tickets } from "../../ports/tickets/tickets.ts"
import { logFailed } from "../../ports/logs/logFailed.ts"

/** A charged run, as far as a budget looks at it. */
interface Charged {
  readonly report: { readonly cost: { readonly total: bigint } }
}

const overBudget = ({ ticketId }: TicketGrant, required: bigint, remaining: bigint): InsufficientCredits =>
  new InsufficientCredits({
    message: `A run reserves ${required} credits of its ticket's budget until its cost is known; ${remaining} remain in the ticket`,
    details: { required: `${required}`, remaining: `${remaining}`, ticketId }
  })

/** What is given back when a run has ended. After a defect nobody knows whether it was charged: then nothing. */
const leftOver = <E>(exit: Exit.Exit<Charged, E>, reserved: bigint): bigint => {
  if (Exit.isSuccess(exit)) return reserved - exit.value.report.cost.total
  return Cause.isDie(exit.cause) ? 0n : reserved
}

/**
 * The same run within the budget of its ticket, if it has one. A server that dies leaves what it had reserved taken, so that no more is spent
 * than the budget allows, whatever happens.
 */
export const withinBudget = <A extends Charged, E, R>(
  tickets: Context.Tag.Service<Tickets>,
  ticket: TicketGrant | undefined,
  worst: bigint,
  run: Effect.Effect<A, E, R>
): Effect.Effect<A, E | InsufficientCredits, R> => {
  if (ticket?.hasBudget !== true) return run
  const { ticketId } = ticket
  const reserve = Effect.flatMap(tickets.reserve(ticketId, worst), ({ creditsLeft, kind }) =>
    kind === "reserved" ? Effect.void : Effect.fail(overBudget(ticket, worst, creditsLeft))
  )
  const giveBack = (exit: Exit.Exit<A, E>): Effect.Effect<void> => {
    const credits = leftOver(exit, worst)
    if (credits === 0n) return Effect.void
    // Not repeated: an unanswered call may have happened, and twice would be too much.
    return Effect.catchAllCause(tickets.giveBack(ticketId, credits), (cause) =>
      logFailed("credits were not given back to a ticket", cause, { part: "credits" })
    )
  }
  return Effect.acquireUseRelease(
    reserve,
    () => run,
    (_, exit) => giveBack(exit)
  )
}
