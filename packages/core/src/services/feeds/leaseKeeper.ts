/** Renews the leases of all feeds that this process owns, shared and durable ones, together (decision D50). */
import { Context, Effect, Layer, Runtime } from "effect"
import type { FeedLease } from "../../domain/feeds/feedLease.ts"
import { feedLeaseMs, FeedLeases } from "../../ports/feeds/feedLeases.ts"
import { logFailed } from "../../ports/logs/logFailed.ts"

/** How often: three renewals may fail before a lease ends. */
const renewMs = feedLeaseMs / 4

interface Kept {
  readonly lease: FeedLease
  readonly lost: () => void
}

const nameOf = ({ feedKey, term }: FeedLease): string => `${feedKey}/${term}`

/** Keeps leases until its layer ends. While the store cannot be reached, nothing is lost: only its answer says so. */
export class LeaseKeeper extends Context.Tag("@sibyl/core/LeaseKeeper")<
  LeaseKeeper,
  {
    /** Renews the lease from now on; `lost` is called, once, when it does not hold any more. */
    readonly keep: (lease: FeedLease, lost: () => void) => void
    readonly letGo: (lease: FeedLease) => void
  }
>() {
  /** One fiber renews all leases; it exists only while there are any. */
  static readonly layer: Layer.Layer<LeaseKeeper, never, FeedLeases> = Layer.scoped(
    LeaseKeeper,
    Effect.gen(function* () {
      const leases = yield* FeedLeases
      const kept = new Map<string, Kept>()
      let isAway = false
      const renew = Effect.gen(function* () {
        const asked = [...kept]
        if (asked.length === 0) return
        const held = yield* leases.renew(
          asked.map(([, { lease }]) => lease),
          feedLeaseMs
        )
        isAway = false
        const holds = new Set(held.map(nameOf))
        for (const [name, each] of asked) if (!holds.has(name) && kept.get(name) === each && kept.delete(name)) each.lost()
      })
      const renewed = Effect.catchAllCause(renew, (cause) => {
        const told = isAway ? Effect.void : logFailed("leases of feeds cannot be renewed now", cause, { part: "feeds" })
        isAway = true
        return told
      })
      const runtime = yield* Effect.runtime()
      const scope = yield* Effect.scope
      let isRenewing = false
      const renewing: Effect.Effect<void> = Effect.flatMap(Effect.sleep(renewMs), () => {
        if (kept.size > 0) return Effect.zipRight(renewed, renewing)
        isRenewing = false
        return Effect.void
      })
      return {
        keep: (lease, lost) => {
          kept.set(nameOf(lease), { lease, lost })
          if (isRenewing) return
          isRenewing = true
          Runtime.runFork(runtime)(renewing, { scope })
        },
        letGo: (lease) => void kept.delete(nameOf(lease))
      }
    })
  )
}
