/** The port to durable feeds: their definitions, and the log of their runs (decision D51). */
import { Context, type Effect, type Option } from "effect"
import type { FeedLease } from "../../domain/feeds/feedLease.ts"
import type { DurableFeed, FeedEntry, FeedPlace, FeedProgress, FeedTick } from "../../domain/feeds/durableFeed.ts"

/** Stores durable feeds. Their schedules are in `FeedLeases`, under the feed's id; results are in `ResultStore`, under the tick's run id. */
export class DurableFeeds extends Context.Tag("@sibyl/core/DurableFeeds")<
  DurableFeeds,
  {
    /** Adds a definition; false if its project has `maxFeeds` already, also of concurrent requests. An unknown project is a defect. */
    readonly create: (definition: DurableFeed, maxFeeds: number) => Effect.Effect<boolean>
    /** A project's feeds, oldest first. */
    readonly list: (projectId: string) => Effect.Effect<ReadonlyArray<DurableFeed>>
    readonly find: (projectId: string, feedId: string) => Effect.Effect<Option.Option<DurableFeed>>
    /** Removes definition, schedule and log; reports stay. False if the project has no such feed. */
    readonly remove: (projectId: string, feedId: string) => Effect.Effect<boolean>
    /** Feeds of all projects that nobody owns now, at most `max`. */
    readonly ownerless: (max: number) => Effect.Effect<ReadonlyArray<DurableFeed>>
    readonly progress: (feedId: string) => Effect.Effect<FeedProgress>
    /** Logs the start of a run. False, and nothing may run, if the lease does not hold, the feed was removed, or place or tick is taken. */
    readonly begin: (lease: FeedLease, tick: FeedTick) => Effect.Effect<boolean>
    /** Logs that the run ended with a result. The first end stays; whoever ran it may say so, also a former owner. */
    readonly succeed: (feedId: string, place: FeedPlace, endedAtMs: number) => Effect.Effect<void>
    /** Logs that the run ended without a result; only the owner may say so. The first end stays. */
    readonly fail: (lease: FeedLease, place: FeedPlace, endedAtMs: number, failure: string) => Effect.Effect<void>
    /** The runs that have not ended, in order. */
    readonly unfinished: (feedId: string) => Effect.Effect<ReadonlyArray<FeedEntry>>
    /** The runs after a place, in order, at most `max`; without a place, from the oldest that is kept. */
    readonly entries: (feedId: string, after: FeedPlace | undefined, max: number) => Effect.Effect<ReadonlyArray<FeedEntry>>
    /** Deletes ended runs from the log that started before `beforeMs`, oldest first and at most `max`; returns how many. */
    readonly sweep: (beforeMs: number, max: number) => Effect.Effect<number>
  }
>() {}
