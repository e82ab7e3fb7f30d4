/** Draws the holds of runs from the escrow of their project, which is opened and extended for them. */
import { type Context, Effect } from "effect"
import type { Hold } from "../../domain/credits/balance.ts"
import { DrawnHold, type Escrow } from "../../domain/credits/escrow.ts"
import { timeOrderedUuid } from "../../domain/encoding/uuid.ts"
import type { Ledger } from "../ledger.ts"
import type { CreditNeed } from "./escrowKeeper.ts"
import type { EscrowParts } from "./escrowParts.ts"
import { withNow } from "./withNow.ts"
import { ProjectEscrows } from "./projectEscrows.ts"

type TakeHold = Context.Tag.Service<Ledger>["hold"]

/** How often a hold waits for credits of an escrow before it is taken by itself. */
const mostRounds = 3

/** Takes a hold: from the escrow, or by itself if the project rarely runs or credits are short. */
export const makeDrawing = ({ entropy, exact, keeper, policy, projects, watch }: EscrowParts): TakeHold => {
  const escrowsOf = (projectId: string, nowMs: number): ProjectEscrows => {
    const known = projects.get(projectId)
    if (known !== undefined) return known
    const fresh = new ProjectEscrows(projectId, nowMs)
    projects.set(projectId, fresh)
    return fresh
  }

  /** Draws a hold at once, if the escrow has enough. */
  const draw = (of: ProjectEscrows, escrow: Escrow, { amount, leaseMs }: CreditNeed, nowMs: number): Hold | undefined => {
    if (escrow.free < amount) return undefined
    const holdId = timeOrderedUuid(nowMs, entropy.unsafeBytes(16))
    const hold = new DrawnHold(holdId, escrow.terms, amount)
    hold.begin(escrow.draw(hold, nowMs + leaseMs, nowMs))
    of.demand.drawn(escrow.drawn, nowMs)
    return hold
  }

  /** Waits for credits; the caller may leave meanwhile. */
  const reserved = (of: ProjectEscrows, need: CreditNeed): Effect.Effect<void> =>
    Effect.acquireUseRelease(
      Effect.sync(() => (of.waiting += need.amount)),
      () => keeper.reserve(of, need),
      () => Effect.sync(() => (of.waiting -= need.amount))
    )

  const attempt = (of: ProjectEscrows, need: CreditNeed, round: number): ReturnType<TakeHold> =>
    withNow((nowMs) => {
      const { amount, leaseMs, project } = need
      of.lapse(nowMs)
      const escrow = of.current
      const again = (rounds: number) => attempt(of, need, round + rounds)
      if (escrow !== undefined && !escrow.serves(project.usageLimit, nowMs)) {
        return Effect.zipRight(Effect.ignoreLogged(keeper.retire(of, escrow)), again(0))
      }
      const lasts = escrow?.lastsUntil(nowMs + leaseMs) === true
      const hold = escrow !== undefined && lasts ? draw(of, escrow, need, nowMs) : undefined
      if (hold !== undefined) {
        if (!of.isLow(nowMs)) return Effect.succeed(hold)
        return Effect.as(watch.detached(keeper.reserve(of, { ...need, amount: 0n })), hold)
      }
      const isFrequent = escrow !== undefined || of.demand.holdsAt(nowMs) >= policy.firstRun
      if (round >= mostRounds || !isFrequent || nowMs < of.exactUntilMs) return exact.hold(project, amount, leaseMs)
      if (escrow !== undefined && !lasts) return Effect.zipRight(Effect.ignoreLogged(keeper.renew(of, escrow, leaseMs)), again(1))
      return Effect.zipRight(reserved(of, need), again(1))
    })

  return (project, amount, leaseMs) =>
    withNow((nowMs) => {
      // A hold of nothing is not seen in what is drawn.
      if (amount <= 0n) return exact.hold(project, amount, leaseMs)
      const of = escrowsOf(project.projectId, nowMs)
      of.lastHoldMs = nowMs
      of.demand.held(amount, nowMs)
      const attempted = attempt(of, { project, amount, leaseMs }, 0)
      const looking = watch.begin()
      return looking === undefined ? attempted : Effect.zipRight(looking, attempted)
    })
}
