/** The laws of durable feeds: definitions of a project, and a log in which every run has one place, one tick and one end (D51). */
import { DurableFeeds, type DurableFeed, type FeedLease, FeedLeases, type FeedTick, type Provisioning } from "@sibyl/core"
import { Effect, type Layer, Option } from "effect"
import type { HandClock } from "../clock/handClock.ts"
import { holdsThat, isEqual, isThere, type Law, LawBroken } from "./form/law.ts"
import { storeLaws } from "./form/storeLaws.ts"
import { fundedProject, lawStartMs } from "./form/stores.ts"

type Needs = DurableFeeds | FeedLeases | Provisioning
type Body = (clock: HandClock) => Effect.Effect<void, LawBroken, Needs>

const longMs = 3_600_000

const definitionFor = (projectId: string, feedId: string, createdAtMs = lawStartMs): DurableFeed => ({
  feedId,
  projectId,
  execute: '{"execProgramId":"½ 🜚","execInputs":1.10}',
  mode: "FIXED",
  periodMs: 1_000,
  createdAtMs
})

/** A feed of a new project, and its owner's lease. */
const ownedFeed = (feedId = "feed", leaseMs = longMs) =>
  Effect.gen(function* () {
    const { projectId } = yield* fundedProject(0n)
    const definition = definitionFor(projectId, feedId)
    yield* (yield* DurableFeeds).create(definition, 10)
    const verdict = yield* (yield* FeedLeases).acquire({ feedKey: feedId, owner: "a", leaseMs })
    if (verdict.kind === "taken") return yield* new LawBroken({ message: "a new feed has an owner" })
    return { definition, projectId, lease: verdict.lease, epoch: verdict.schedule.epoch }
  })

const tickAt = (epoch: number, seq: number, tick = seq): FeedTick => ({
  epoch,
  seq,
  tick,
  scheduledAtMs: lawStartMs + tick * 1_000,
  startedAtMs: lawStartMs + tick * 1_000 + 3
})

const begun = (lease: FeedLease, epoch: number, count: number) =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    for (let seq = 0; seq < count; seq += 1) yield* isEqual(yield* feeds.begin(lease, tickAt(epoch, seq)), true, `run ${seq} begins`)
  })

const seqsOf = (entries: ReadonlyArray<{ readonly seq: number }>): ReadonlyArray<number> => entries.map(({ seq }) => seq)

const definitions: Body = () =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const [mine, other] = [yield* fundedProject(0n), yield* fundedProject(0n)]
    const second = definitionFor(mine.projectId, "second", lawStartMs + 1)
    const startedBy = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    const first = { ...definitionFor(mine.projectId, "first"), startedBy }
    yield* isEqual(yield* feeds.create(second, 2), true, "a feed")
    yield* isEqual(yield* feeds.create(first, 2), true, "another one")
    yield* isEqual(yield* feeds.create(definitionFor(mine.projectId, "third"), 2), false, "one beyond the project's maximum")
    yield* isEqual(yield* feeds.create(definitionFor(other.projectId, "theirs"), 2), true, "another project's")
    yield* isEqual([...(yield* feeds.list(mine.projectId))].map(({ feedId }) => feedId).sort(), ["first", "second"], "the project's feeds")
    yield* isEqual(yield* feeds.find(mine.projectId, "first"), Option.some(first), "as it was given")
    yield* isEqual(yield* feeds.find(other.projectId, "first"), Option.none(), "another project's feed")
    yield* isEqual(yield* feeds.remove(other.projectId, "first"), false, "removing another project's feed")
    yield* isEqual(yield* feeds.remove(mine.projectId, "first"), true, "removing")
    yield* isEqual(yield* feeds.remove(mine.projectId, "first"), false, "removing again")
    yield* isEqual(yield* feeds.list(mine.projectId), [second], "what is left")
  })

const concurrentCreation: Body = () =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const { projectId } = yield* fundedProject(0n)
    const ids = Array.from({ length: 20 }, (_, at) => `feed ${at}`)
    const created = yield* Effect.forEach(ids, (feedId) => feeds.create(definitionFor(projectId, feedId), 7), { concurrency: "unbounded" })
    yield* isEqual(created.filter(Boolean).length, 7, "feeds created at once")
    yield* isEqual((yield* feeds.list(projectId)).length, 7, "feeds of the project")
  })

const owners: Body = () =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const leases = yield* FeedLeases
    const idsOf = Effect.map(feeds.ownerless(10), (found) => found.map(({ feedId }) => feedId))
    const { lease } = yield* ownedFeed()
    yield* isEqual(yield* idsOf, [], "a feed with an owner")
    yield* leases.release(lease)
    yield* isEqual(yield* idsOf, ["feed"], "a feed that was let go")
    yield* ownedFeed("other", 0)
    yield* isEqual([...(yield* idsOf)].sort(), ["feed", "other"], "and one whose owner died")
    yield* isEqual((yield* feeds.ownerless(1)).length, 1, "at most as many as asked for")
    const { epoch, leaseUntilMs, nowMs } = yield* feeds.progress("feed")
    yield* holdsThat(epoch !== undefined && leaseUntilMs !== undefined && leaseUntilMs <= nowMs, "progress tells that the lease is over")
  })

const begins: Body = () =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const leases = yield* FeedLeases
    const { epoch, lease, projectId } = yield* ownedFeed()
    yield* begun(lease, epoch, 2)
    yield* isEqual(yield* feeds.begin(lease, tickAt(epoch, 1, 5)), false, "a place that is taken")
    yield* isEqual(yield* feeds.begin(lease, tickAt(epoch, 2, 1)), false, "a tick that is taken")
    yield* leases.release(lease)
    yield* isEqual(yield* feeds.begin(lease, tickAt(epoch, 2)), false, "a former owner's run")
    const next = yield* leases.acquire({ feedKey: "feed", owner: "b", leaseMs: longMs })
    if (next.kind === "held") yield* isEqual(yield* feeds.begin(next.lease, tickAt(epoch, 2)), true, "the successor's run")
    yield* feeds.remove(projectId, "feed")
    const late = yield* leases.acquire({ feedKey: "feed", owner: "b", leaseMs: longMs })
    if (late.kind === "held") yield* isEqual(yield* feeds.begin(late.lease, tickAt(late.schedule.epoch, 0)), false, "a removed feed's run")
    yield* isEqual(yield* feeds.entries("feed", undefined, 10), [], "the log of a removed feed")
  })

const removals: Body = () =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    for (let round = 0; round < 20; round += 1) {
      const feedId = `feed ${round}`
      const { epoch, lease, projectId } = yield* ownedFeed(feedId)
      const seqs = Array.from({ length: 12 }, (_, seq) => seq)
      const beginning = Effect.forEach(seqs, (seq) => feeds.begin(lease, tickAt(epoch, seq)), { concurrency: 4, discard: true })
      yield* Effect.all([beginning, feeds.remove(projectId, feedId)], { concurrency: "unbounded", discard: true })
      yield* isEqual(seqsOf(yield* feeds.entries(feedId, undefined, 20)), [], "the log of a removed feed")
    }
  })

const ends: Body = () =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const leases = yield* FeedLeases
    const { epoch, lease } = yield* ownedFeed()
    yield* begun(lease, epoch, 4)
    const place = (seq: number) => ({ epoch, seq })
    yield* feeds.succeed("feed", place(0), 7_000)
    yield* feeds.fail(lease, place(0), 8_000, "{}")
    yield* feeds.fail(lease, place(1), 9_000, '{"_tag":"½"}')
    yield* feeds.succeed("feed", place(1), 9_999)
    yield* isEqual(seqsOf(yield* feeds.unfinished("feed")), [2, 3], "runs that have not ended")
    yield* leases.release(lease)
    yield* feeds.fail(lease, place(2), 9_000, "{}")
    yield* isEqual(seqsOf(yield* feeds.unfinished("feed")), [2, 3], "after a failure that a former owner reports")
    yield* feeds.succeed("feed", place(2), 10_000)
    yield* isEqual(seqsOf(yield* feeds.unfinished("feed")), [3], "after a result of a former owner's run")
    const entries = yield* feeds.entries("feed", undefined, 10)
    const first = { ...tickAt(epoch, 0), endedAtMs: 7_000, failure: null }
    const second = { ...tickAt(epoch, 1), endedAtMs: 9_000, failure: '{"_tag":"½"}' }
    yield* isEqual(entries.slice(0, 2), [first, second], "the first end stays")
    const { last, lastFailure, lastResult } = yield* feeds.progress("feed")
    yield* isEqual([last?.seq, lastResult?.seq, lastFailure?.seq], [3, 2, 1], "the last run, result and failure")
  })

const pages: Body = () =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const leases = yield* FeedLeases
    const { epoch, lease } = yield* ownedFeed()
    yield* begun(lease, epoch, 3)
    const next = yield* isThere(yield* leases.beginEpoch(lease), "the next epoch of the lease's holder")
    yield* begun(lease, next.epoch, 3)
    const placed = (yield* feeds.entries("feed", undefined, 10)).map(({ epoch: of, seq }) => [of === epoch ? 0 : 1, seq])
    yield* isEqual(
      placed,
      [
        [0, 0],
        [0, 1],
        [0, 2],
        [1, 0],
        [1, 1],
        [1, 2]
      ],
      "all, by epoch and number"
    )
    const after = yield* feeds.entries("feed", { epoch, seq: 1 }, 2)
    yield* isEqual(seqsOf(after), [2, 0], "a page after a place, across epochs")
    yield* isEqual(yield* feeds.entries("feed", { epoch: next.epoch, seq: 2 }, 9), [], "after the last")
  })

const sweeps: Body = () =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const { epoch, lease } = yield* ownedFeed()
    yield* begun(lease, epoch, 6)
    for (const seq of [0, 1, 2, 4, 5]) yield* feeds.succeed("feed", { epoch, seq }, lawStartMs)
    const before = lawStartMs + 5_000
    yield* isEqual(yield* feeds.sweep(before, 2), 2, "at most as many as asked for")
    yield* isEqual(yield* feeds.sweep(before, 10), 2, "the rest that is old and ended")
    yield* isEqual(seqsOf(yield* feeds.entries("feed", undefined, 10)), [3, 5], "an unfinished run and a young one stay")
  })

const bodies: Readonly<Record<string, Body>> = {
  "definitions belong to a project, are bounded, and end when they are removed": definitions,
  "concurrent requests do not exceed the maximum of a project": concurrentCreation,
  "a feed is ownerless until its lease is taken, and again when it is over": owners,
  "only the owner begins a run, and place and tick are taken once": begins,
  "a feed that is removed while its runs begin leaves none of them": removals,
  "a run ends once: with a result whoever ran it, without one only by its owner": ends,
  "runs are read in the order of epoch and number, after a place": pages,
  "old runs are swept, except those that have not ended": sweeps
}

/** The laws of durable feeds, over stores from `makeStores`. */
export const durableFeedLaws = (makeStores: () => Layer.Layer<Needs>): ReadonlyArray<Law> => storeLaws(bodies, makeStores)
