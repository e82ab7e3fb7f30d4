/** What goes on beside the runs: recalls, idle escrows, what could not be given back, and operations that several runs wait for. */
import { Clock, Effect, type Scope } from "effect"
import type { Draw, Escrow } from "../../domain/credits/escrow.ts"
import type { EscrowKeeper } from "./escrowKeeper.ts"
import type { EscrowPolicy, ProjectEscrows } from "./projectEscrows.ts"
import { SharedWork } from "./sharedWork.ts"
import { logPart } from "../../domain/settings/logPart.ts"

/** The work beside the runs of one server. */
export interface EscrowWatch {
  /** Looks from now on, for as long as there are projects; no effect if it does already. */
  readonly begin: () => Effect.Effect<void> | undefined
  /** Goes on when the caller leaves. */
  readonly detached: (work: Effect.Effect<void>) => Effect.Effect<void>
  /** Remembers that a charge is being written, until what it returns is called. */
  readonly settling: (draw: Draw) => () => void
  /** Waits until the charge was written, or failed. */
  readonly untilSettled: (draw: Draw) => Effect.Effect<void>
  /** Renews, or waits until somebody else has. */
  readonly renewing: (escrow: Escrow, renew: Effect.Effect<void>) => Effect.Effect<void>
  /** Another server needs the credits. */
  readonly recall: (of: ProjectEscrows, escrow: Escrow) => Effect.Effect<void>
}

/** A look that is repeated for as long as it is needed. */
interface RepeatedLook {
  readonly look: Effect.Effect<void>
  readonly lookMs: number
  readonly isNeeded: () => boolean
  readonly scope: Scope.Scope
}

/** Begins to look, unless that goes on already. */
const makeLooking = ({ isNeeded, look, lookMs, scope }: RepeatedLook): EscrowWatch["begin"] => {
  let isLooking = false

  const looking: Effect.Effect<void> = Effect.flatMap(Effect.sleep(lookMs), () => {
    if (isNeeded()) return Effect.zipRight(look, looking)
    isLooking = false
    return Effect.void
  })

  const beginLooking = Effect.uninterruptible(
    Effect.suspend(() => {
      if (isLooking) return Effect.void
      isLooking = true
      return Effect.asVoid(Effect.forkIn(Effect.interruptible(looking), scope))
    })
  )

  return () => (isLooking ? undefined : beginLooking)
}

/** Looks at the escrows of these projects until the scope closes, and then gives all of them back. */
export const makeEscrowWatch = (
  projects: Map<string, ProjectEscrows>,
  { retire }: EscrowKeeper,
  { recalled }: { readonly recalled: Effect.Effect<ReadonlyArray<string>> },
  policy: EscrowPolicy
): Effect.Effect<EscrowWatch, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const charges = new SharedWork<string>()
    const renewals = new SharedWork<string>()

    const detached = (work: Effect.Effect<void>): Effect.Effect<void> => Effect.asVoid(Effect.forkIn(Effect.ignoreLogged(work), scope))

    const recall: EscrowWatch["recall"] = (of, escrow) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        of.short(nowMs, policy)
        return escrow.isRetired ? Effect.void : detached(retire(of, escrow))
      })

    const recallAll = Effect.gen(function* () {
      if (![...projects.values()].some(({ current }) => current !== undefined)) return
      const ids = yield* recalled
      for (const escrowId of ids) {
        for (const of of projects.values()) {
          const escrow = of.escrows.get(escrowId)
          if (escrow !== undefined) yield* recall(of, escrow)
        }
      }
    }).pipe(
      Effect.catchAllCause((cause) =>
        Effect.annotateLogs(Effect.logDebug("recalled credits could not be looked up", cause), logPart("credits"))
      )
    )

    const lookAt = (of: ProjectEscrows, nowMs: number): Effect.Effect<void> => {
      of.lapse(nowMs)
      if (of.isOver(nowMs, policy)) projects.delete(of.projectId)
      const idle = of.isIdle(nowMs, policy) ? of.current : undefined
      const due = idle === undefined ? of.unreleased : [...of.unreleased, idle]
      return Effect.forEach(due, (escrow) => Effect.ignoreLogged(retire(of, escrow)), { discard: true })
    }

    const look = Effect.gen(function* () {
      yield* recallAll
      const nowMs = yield* Clock.currentTimeMillis
      yield* Effect.forEach([...projects.values()], (of) => lookAt(of, nowMs), { concurrency: "unbounded", discard: true })
    })

    const giveAllBack = Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const open = [...projects.values()].flatMap((of) => {
        of.lapse(nowMs)
        return [...of.escrows.values()].map((escrow) => Effect.ignoreLogged(retire(of, escrow)))
      })
      return Effect.all(open, { concurrency: "unbounded", discard: true })
    })
    yield* Effect.addFinalizer(() => giveAllBack)

    return {
      begin: makeLooking({ look, lookMs: policy.lookMs, isNeeded: () => projects.size > 0, scope }),
      detached,
      settling: (draw) => charges.begin(draw.hold.holdId),
      untilSettled: (draw) => charges.over(draw.hold.holdId),
      renewing: (escrow, renew) => renewals.alone(escrow.terms.escrowId, renew, renewals.over(escrow.terms.escrowId)),
      recall
    }
  })
