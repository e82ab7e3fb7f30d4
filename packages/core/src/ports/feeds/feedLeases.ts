/** The port to the ownership of feeds: one process at a time runs a feed's ticks, and another one continues when it dies (decision D50). */
import { Context, type Effect, type Option } from "effect"
import type { FeedLease, FeedLeaseInput, FeedLeaseVerdict, FeedSchedule } from "../../domain/feeds/feedLease.ts"

/** The lease of a feed: with the time between two looks for feeds without an owner, a dead owner is replaced within 3 s. */
export const feedLeaseMs = 2_500

/**
 * Leases of feeds' schedules. Times are the store's: a database that serves several machines uses its own clock, so that clocks that differ
 * do not make two owners. A lease that is over, or another owner's, or of an earlier term, changes nothing.
 */
export class FeedLeases extends Context.Tag("@sibyl/core/FeedLeases")<
  FeedLeases,
  {
    /**
     * Names the store, in letters, digits and hyphens, where a relay may reach servers of a copy of it: they share no feeds, although feeds
     * and projects of a copy have the same ids. Absent where no relay does.
     */
    readonly realm?: string | undefined
    /**
     * Takes the lease if it is free, over, or the owner's own (whose earlier lease of this feed is then void). Of many concurrent requests,
     * also in other processes, one owner is given it. The first request for a feed begins its first epoch.
     */
    readonly acquire: (input: FeedLeaseInput) => Effect.Effect<FeedLeaseVerdict>
    /** Extends these leases to `leaseMs` from now, 0 ends them; returns those that held. */
    readonly renew: (leases: ReadonlyArray<FeedLease>, leaseMs: number) => Effect.Effect<ReadonlyArray<FeedLease>>
    /** Records that ticks before `nextTick` are taken; nothing goes back. False if the lease does not hold: the caller must not run them. */
    readonly advance: (lease: FeedLease, to: Pick<FeedSchedule, "nextTick" | "seq">) => Effect.Effect<boolean>
    /** Begins a new epoch, now; none if the lease does not hold. */
    readonly beginEpoch: (lease: FeedLease) => Effect.Effect<Option.Option<FeedSchedule>>
    /** Ends the lease, so that another owner can take it at once. With `forget`, the schedule ends too: a later owner begins a new epoch. */
    readonly release: (lease: FeedLease, forget?: boolean) => Effect.Effect<void>
  }
>() {}
