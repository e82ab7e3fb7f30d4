/** Renews the leases of all feeds that this server owns, together (decision D48). */
import { type Context, Effect, type Scope } from "effect"
import type { FeedLease } from "../../domain/feeds/feedLease.ts"
import { feedLeaseMs, type FeedLeases } from "../../ports/feeds/feedLeases.ts"

/** How often: three renewals may fail before a lease ends. */
const renewMs = feedLeaseMs / 4

/** Keeps leases. */
export interface LeaseKeeper {
  /** Renews it from now on; `lost` is called, once, when it does not hold any more. */
  readonly keep: (lease: FeedLease, lost: () => void) => void
  readonly letGo: (lease: FeedLease) => void
}

/** Renews until the scope closes. While the store cannot be reached, nothing is lost: only its answer says so. */
export const makeLeaseKeeper = (leases: Context.Tag.Service<FeedLeases>): Effect.Effect<LeaseKeeper, never, Scope.Scope> =>
  Effect.gen(function* () {
    const kept = new Map<string, { readonly lease: FeedLease; readonly lost: () => void }>()
    const renew = Effect.gen(function* () {
      const asked = [...kept.values()]
      if (asked.length === 0) return
      const held = yield* leases.renew(
        asked.map(({ lease }) => lease),
        feedLeaseMs
      )
      const holds = new Set(held.map(({ feedKey, term }) => `${feedKey}/${term}`))
      for (const each of asked) {
        const { feedKey, term } = each.lease
        if (holds.has(`${feedKey}/${term}`) || kept.get(feedKey) !== each) continue
        kept.delete(feedKey)
        each.lost()
      }
    })
    const renewed = Effect.catchAllCause(renew, (cause) => Effect.logWarning("leases of feeds could not be renewed", cause))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(renewMs), renewed)))
    return {
      keep: (lease, lost) => void kept.set(lease.feedKey, { lease, lost }),
      letGo: ({ feedKey, term }) => {
        if (kept.get(feedKey)?.lease.term === term) kept.delete(feedKey)
      }
    }
  })
