/** Renews the leases of the holds whose runs live: however long a run waits and runs, its hold is there to be settled. */
import { type Context, Effect, type Scope } from "effect"
import type { Hold } from "../domain/credits/balance.ts"
import type { Ledger } from "../ports/ledger.ts"

/** How long a hold lasts that is not renewed, that is, how long the credits of a dead process's runs stay held. */
export const holdLeaseMs = 120_000

/** How often the live holds are looked through; most runs are over before the first look. */
const lookMs = 10_000
/** A hold is renewed at every third look, and at each after one that failed. */
const looksBetween = 3
/** Renewals that wait for the store at once; it does many of them in one transaction. */
const renewalsAtOnce = 256

/** The holds of this process's runs. */
export interface Leases {
  /** Renews the lease of a running run's hold until it is released. */
  readonly keep: (hold: Hold) => Effect.Effect<void>
  /** The run has ended. */
  readonly letGo: (hold: Hold) => void
}

/** One fiber looks after all holds; it lives while there are any. */
export const makeLeases = (ledger: Context.Tag.Service<Ledger>): Effect.Effect<Leases, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    /** By hold, the looks since its lease was renewed. */
    const held = new Map<Hold, number>()
    let isLooking = false

    const renew = (hold: Hold): Effect.Effect<void> =>
      Effect.matchCauseEffect(ledger.renew(hold, holdLeaseMs), {
        onSuccess: () => Effect.sync(() => held.has(hold) && held.set(hold, 0)),
        onFailure: (cause) => Effect.logWarning("the lease of a hold could not be renewed", cause)
      })

    const look = Effect.suspend(() => {
      for (const [hold, looks] of held) held.set(hold, looks + 1)
      const due = [...held].flatMap(([hold, looks]) => (looks >= looksBetween ? [hold] : []))
      return Effect.forEach(due, renew, { concurrency: renewalsAtOnce, discard: true })
    })

    const looking: Effect.Effect<void> = Effect.flatMap(Effect.sleep(lookMs), () => {
      if (held.size > 0) return Effect.zipRight(look, looking)
      isLooking = false
      return Effect.void
    })

    return {
      keep: (hold) =>
        Effect.suspend(() => {
          held.set(hold, 0)
          if (isLooking) return Effect.void
          isLooking = true
          // Whoever keeps a hold may not be interrupted; who looks after it may.
          return Effect.asVoid(Effect.forkIn(Effect.interruptible(looking), scope))
        }),
      letGo: (hold) => void held.delete(hold)
    }
  })
