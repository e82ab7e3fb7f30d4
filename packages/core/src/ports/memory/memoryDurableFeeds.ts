/** Durable feeds, in memory. */
import { Clock, type Context, Effect, Option } from "effect"
import { comparePlaces, type FeedEntry, type FeedPlace, type FeedTick } from "../../domain/feeds/durableFeed.ts"
import { type FeedLease, holdsLease } from "../../domain/feeds/feedLease.ts"
import type { DurableFeeds } from "../feeds/durableFeeds.ts"
import { existing, type MemoryState } from "./memoryState.ts"

const logOf = (state: MemoryState, feedId: string): ReadonlyArray<FeedEntry> => state.feedEntries.get(feedId) ?? []

const isAt =
  (place: FeedPlace) =>
  (entry: FeedPlace): boolean =>
    comparePlaces(entry, place) === 0

/** Logs a run, unless its tick or its number is taken. */
const begin = (state: MemoryState, feedId: string, tick: FeedTick): boolean => {
  const log = [...logOf(state, feedId)]
  if (log.some((entry) => entry.epoch === tick.epoch && (entry.seq === tick.seq || entry.tick === tick.tick))) return false
  log.push({ ...tick, endedAtMs: null, failure: null })
  state.feedEntries.set(feedId, log.toSorted(comparePlaces))
  return true
}

/** Ends a run that has not ended. */
const end = (state: MemoryState, feedId: string, place: FeedPlace, ended: Pick<FeedEntry, "endedAtMs" | "failure">): void => {
  const log = state.feedEntries.get(feedId)
  const at = log?.findIndex(isAt(place)) ?? -1
  const entry = log?.[at]
  if (log !== undefined && entry?.endedAtMs === null) log[at] = { ...entry, ...ended }
}

const holds = (state: MemoryState, lease: FeedLease, nowMs: number): boolean =>
  state.feeds.has(lease.feedKey) && holdsLease(state.feedSchedules.get(lease.feedKey), lease, nowMs)

const sweep = (state: MemoryState, beforeMs: number, max: number): number => {
  const old = [...state.feedEntries]
    .flatMap(([feedId, log]) => log.map((entry) => ({ feedId, entry })))
    .filter(({ entry: { endedAtMs, startedAtMs } }) => endedAtMs !== null && startedAtMs < beforeMs)
    .toSorted((left, right) => left.entry.startedAtMs - right.entry.startedAtMs)
    .slice(0, max)
  for (const { entry, feedId } of old) {
    state.feedEntries.set(
      feedId,
      logOf(state, feedId).filter((other) => other !== entry)
    )
  }
  return old.length
}

/** Durable feeds over a state. */
export const memoryDurableFeeds = (state: MemoryState): Context.Tag.Service<DurableFeeds> => {
  const ofProject = (projectId: string) => [...state.feeds.values()].filter((feed) => feed.projectId === projectId)
  return {
    create: (definition, maxFeeds) =>
      Effect.sync(() => {
        existing(state.projects, definition.projectId, "project")
        if (ofProject(definition.projectId).length >= maxFeeds) return false
        state.feeds.set(definition.feedId, definition)
        return true
      }),
    list: (projectId) => Effect.sync(() => ofProject(projectId)),
    find: (projectId, feedId) =>
      Effect.sync(() => Option.filter(Option.fromNullable(state.feeds.get(feedId)), (feed) => feed.projectId === projectId)),
    remove: (projectId, feedId) =>
      Effect.sync(() => {
        if (state.feeds.get(feedId)?.projectId !== projectId) return false
        state.feedSchedules.delete(feedId)
        state.feedEntries.delete(feedId)
        return state.feeds.delete(feedId)
      }),
    ownerless: (max) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) =>
        [...state.feeds.values()].filter(({ feedId }) => (state.feedSchedules.get(feedId)?.leaseUntilMs ?? nowMs) <= nowMs).slice(0, max)
      ),
    progress: (feedId) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        const log = logOf(state, feedId)
        const schedule = state.feedSchedules.get(feedId)
        return {
          last: log.at(-1),
          lastResult: log.findLast(({ endedAtMs, failure }) => endedAtMs !== null && failure === null),
          lastFailure: log.findLast(({ failure }) => failure !== null),
          leaseUntilMs: schedule?.leaseUntilMs,
          epoch: schedule?.epoch,
          nowMs
        }
      }),
    begin: (lease, tick) => Effect.map(Clock.currentTimeMillis, (nowMs) => holds(state, lease, nowMs) && begin(state, lease.feedKey, tick)),
    succeed: (feedId, place, endedAtMs) => Effect.sync(() => end(state, feedId, place, { endedAtMs, failure: null })),
    fail: (lease, place, endedAtMs, failure) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        if (holds(state, lease, nowMs)) end(state, lease.feedKey, place, { endedAtMs, failure })
      }),
    unfinished: (feedId) => Effect.sync(() => logOf(state, feedId).filter(({ endedAtMs }) => endedAtMs === null)),
    entries: (feedId, after, max) =>
      Effect.sync(() =>
        logOf(state, feedId)
          .filter((entry) => after === undefined || comparePlaces(entry, after) > 0)
          .slice(0, max)
      ),
    sweep: (beforeMs, max) => Effect.sync(() => sweep(state, beforeMs, max))
  }
}
