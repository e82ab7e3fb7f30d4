/** Renews the leases of holds while their runs are in flight, so that a hold never lapses before its run is settled. */
import { type Context, Effect, type Scope } from "effect"
import { TransientMap } from "../../domain/encoding/transientMap.ts"
import type { Hold } from "../../domain/credits/balance.ts"
import type { Ledger } from "../../ports/ledger.ts"
import { logFailed } from "../../ports/logs/logFailed.ts"

/** The lease of a hold, that is, how long the credits of a dead process's runs stay held. */
export const holdLeaseMs = 120_000

/** How often holds are checked; most runs are over before the first check. */
const lookMs = 10_000
/** A hold is renewed at every third check, and at every check after a failed renewal. */
const looksBetween = 3
/** Concurrent renewals; the store combines many of them in one transaction. */
const renewalsAtOnce = 256

/** The holds of this process's runs. */
export interface Leases {
  /** Renews the lease of a running run's hold until it is released. Most often nothing has to be started for it: then there is no effect. */
  readonly keep: (hold: Hold) => Effect.Effect<void> | undefined
  /** The run has ended. */
  readonly letGo: (hold: Hold) => void
}

/** One fiber renews all holds; it exists only while there are any. */
export const makeLeases = (ledger: Context.Tag.Service<Ledger>): Effect.Effect<Leases, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    /** By hold id, with the checks since the lease was renewed. */
    const held = new TransientMap<string, { readonly hold: Hold; looks: number }>()
    let isLooking = false

    const renew = (hold: Hold): Effect.Effect<void> =>
      Effect.matchCauseEffect(ledger.renew(hold, holdLeaseMs), {
        onSuccess: () =>
          Effect.sync(() => {
            const kept = held.get(hold.holdId)
            if (kept !== undefined) kept.looks = 0
          }),
        onFailure: (cause) => logFailed("the lease of a hold could not be renewed", cause, { part: "credits" })
      })

    const look = Effect.suspend(() => {
      for (const kept of held.values()) kept.looks += 1
      const due = [...held.values()].flatMap(({ hold, looks }) => (looks >= looksBetween ? [hold] : []))
      return Effect.forEach(due, renew, { concurrency: renewalsAtOnce, discard: true })
    })

    const looking: Effect.Effect<void> = Effect.flatMap(Effect.sleep(lookMs), () => {
      if (held.size > 0) return Effect.zipRight(look, looking)
      isLooking = false
      return Effect.void
    })

    return {
      keep: (hold) => {
        held.set(hold.holdId, { hold, looks: 0 })
        if (isLooking) return undefined
        isLooking = true
        // The caller may be uninterruptible, but the renewing fiber must stay interruptible.
        return Effect.asVoid(Effect.forkIn(Effect.interruptible(looking), scope))
      },
      letGo: (hold) => void held.delete(hold.holdId)
    }
  })
