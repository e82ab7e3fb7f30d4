/** Opens, extends, renews and gives back escrows, each in one durable operation, whatever happens to the runs that need it. */
import { Clock, type Context, Effect, type Scope } from "effect"
import { Escrow, escrowLeaseMs } from "../../domain/credits/escrow.ts"
import { escrowHold } from "../../domain/credits/escrowDecisions.ts"
import type { Project } from "../../domain/accounts/project.ts"
import { type Entropy, timeOrderedUuidOf } from "../entropy.ts"
import type { LedgerStore } from "../makeLedger.ts"
import { withNow } from "./withNow.ts"
import type { EscrowPolicy, ProjectEscrows } from "./projectEscrows.ts"
import { logFailed } from "../logs/logFailed.ts"

/** A run that needs credits of an escrow. */
export interface CreditNeed {
  readonly project: Project
  /** 0 to add credits in advance. */
  readonly amount: bigint
  readonly leaseMs: number
}

/** The durable operations on the escrows of this server. */
export interface EscrowKeeper {
  /** Opens the project's escrow or adds to it. What is under way already is waited for instead. */
  readonly reserve: (of: ProjectEscrows, need: CreditNeed) => Effect.Effect<void>
  /** Extends the lease of an escrow. */
  readonly renew: (of: ProjectEscrows, escrow: Escrow, leaseMs: number) => Effect.Effect<void>
  /** Ends the drawing from an escrow at once, and gives back what is not drawn. */
  readonly retire: (of: ProjectEscrows, escrow: Escrow) => Effect.Effect<void>
}

/** What fails may have been carried out nevertheless: the lease of the escrow may then end later than is known. */
const renewedMaybe = <A>(operation: Effect.Effect<A>, leaseMs: number, escrow: () => Escrow): Effect.Effect<A> =>
  Effect.tapErrorCause(operation, () => withNow((failedAtMs) => Effect.sync(() => escrow().maybeRenewed(failedAtMs + leaseMs))))

/** Opens a project's escrow, or adds to it; not to be done twice at once. */
const makeReserving = ({ perform }: Pick<LedgerStore, "perform">, newId: Effect.Effect<string>, policy: EscrowPolicy) =>
  Effect.fnUntraced(function* (of: ProjectEscrows, { amount, leaseMs, project }: CreditNeed) {
    const { projectId, usageLimit } = project
    const nowMs = yield* Clock.currentTimeMillis
    const current = of.current
    const free = current?.free ?? 0n
    const short = amount > free ? amount - free : 0n
    const size = of.sizeAt(nowMs)
    const wanted = size > free + short ? size - free : short
    of.toppedUp(nowMs)
    if (wanted === 0n) return
    const escrowId = current?.terms.escrowId ?? (yield* newId)
    const lease = escrowLeaseMs(leaseMs)
    const hold = escrowHold(escrowId, projectId, short)
    const terms = { escrowId, projectId, usageLimit, openedAtMs: nowMs, leaseMs }
    const reserved = perform({ kind: "reserve", projectId, hold, wanted, leaseMs: lease, usageLimit, ...of.said() })
    const outcome = yield* renewedMaybe(reserved, lease, () => {
      if (current !== undefined) return current
      // It may be open: it is given back, as soon as the database answers.
      const unknown = new Escrow(terms, 0n, nowMs)
      of.escrows.set(escrowId, unknown)
      of.retire(unknown)
      return unknown
    })
    const added = outcome.kind === "reserved" ? outcome.added : 0n
    if (outcome.kind !== "reserved" || added === 0n) {
      if (amount > 0n) of.short(nowMs, policy)
      return
    }
    if (current !== undefined) {
      current.extend(added)
      current.renew(outcome.leaseEndMs)
      return
    }
    const opened = new Escrow(terms, added, outcome.leaseEndMs)
    of.escrows.set(escrowId, opened)
    of.current = opened
  })

/** The operations over a store. What has begun ends before the scope does. */
export const makeEscrowKeeper = (
  store: Pick<LedgerStore, "perform">,
  entropy: Context.Tag.Service<Entropy>,
  policy: EscrowPolicy
): Effect.Effect<EscrowKeeper, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const { perform } = store
    const reserveNow = makeReserving(store, timeOrderedUuidOf(entropy), policy)
    const reserve: EscrowKeeper["reserve"] = (of, need) => {
      const work = Effect.catchAllCause(reserveNow(of, need), (cause) =>
        withNow((nowMs) => {
          of.short(nowMs, policy)
          return logFailed("credits could not be reserved in advance", cause, { part: "credits" })
        })
      )
      return of.work.detached("reserving", work, scope)
    }

    const renew: EscrowKeeper["renew"] = (of, escrow, leaseMs) =>
      Effect.gen(function* () {
        const { escrowId, projectId } = escrow.terms
        const lease = escrowLeaseMs(leaseMs)
        const leaseEndMs = (yield* Clock.currentTimeMillis) + lease
        if (escrow.lastsUntil(leaseEndMs)) return
        const hold = escrowHold(escrowId, projectId)
        const renewed = perform({ kind: "renew", projectId, hold, leaseMs: lease, ...of.said(escrow) })
        const outcome = yield* renewedMaybe(renewed, lease, () => escrow)
        if (outcome.kind === "renewed" && outcome.isOpen) return escrow.renew(leaseEndMs)
        escrow.lose()
        of.close(escrowId)
      })

    const retire: EscrowKeeper["retire"] = (of, escrow) =>
      Effect.suspend(() => {
        const { escrowId, projectId } = escrow.terms
        of.retire(escrow)
        if (!of.escrows.has(escrowId)) return Effect.void
        const said = of.said(escrow)
        return Effect.map(perform({ kind: "release", projectId, hold: escrowHold(escrowId, projectId), ...said }), () => {
          // What was returned meanwhile is given back with the next release.
          escrow.isReleased = said.drawn?.mayBeLess !== true && escrow.drawnToSay === (said.drawn?.drawn ?? 0n)
          if (escrow.drawn === 0n && said.drawn?.drawn === 0n) of.close(escrowId)
        })
      })

    return {
      reserve,
      renew: (of, escrow, leaseMs) => Effect.uninterruptible(renew(of, escrow, leaseMs)),
      retire: (of, escrow) => Effect.uninterruptible(retire(of, escrow))
    }
  })
