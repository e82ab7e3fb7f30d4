/** The laws of the leases of feeds: one owner at a time, and a former one changes nothing any more (D50). */
import { type FeedLease, FeedLeases, type FeedLeaseVerdict } from "@sibyl/core"
import { Effect, type Layer, Option, Schedule } from "effect"
import { agreesWithModel } from "./feedLeaseModelLaw.ts"
import { type HandClock, makeHandClock } from "./handClock.ts"
import { holdsThat, isEqual, type Law, LawBroken } from "./law.ts"
import { lawStartMs } from "./stores.ts"

type Held = Extract<FeedLeaseVerdict, { kind: "held" }>
type Body = (clock: HandClock) => Effect.Effect<void, LawBroken, FeedLeases>

/** A lease that no law outlives. */
const longMs = 3_600_000
/** A lease that a law waits for. */
const shortMs = 60

const ask = (owner: string, leaseMs = longMs, feedKey = "feed"): Effect.Effect<FeedLeaseVerdict, never, FeedLeases> =>
  Effect.flatMap(FeedLeases, (leases) => leases.acquire({ feedKey, owner, leaseMs }))

const taken = (owner: string, leaseMs = longMs, feedKey = "feed"): Effect.Effect<Held, LawBroken, FeedLeases> =>
  Effect.flatMap(ask(owner, leaseMs, feedKey), (verdict) =>
    verdict.kind === "held"
      ? Effect.succeed(verdict)
      : Effect.fail(new LawBroken({ message: `${owner} is given the lease, it was taken until ${verdict.leaseUntilMs}` }))
  )

/** A lease that is over changes nothing. */
const changesNothing = (lease: FeedLease, what: string) =>
  Effect.gen(function* () {
    const leases = yield* FeedLeases
    yield* isEqual(yield* leases.advance(lease, { nextTick: 99, seq: 99 }), false, `${what} advances`)
    yield* isEqual(yield* leases.renew([lease], longMs), [], `${what} renews`)
    yield* isEqual(yield* leases.beginEpoch(lease), Option.none(), `${what} begins an epoch`)
    yield* leases.release(lease, true)
  })

const oneOfMany: Body = () =>
  Effect.gen(function* () {
    const verdicts = yield* Effect.all(
      Array.from({ length: 40 }, (_, at) => ask(`owner ${at}`)),
      { concurrency: "unbounded" }
    )
    yield* isEqual(verdicts.filter(({ kind }) => kind === "held").length, 1, "owners")
    yield* isEqual(yield* Effect.map(ask("another", longMs, "FEED"), ({ kind }) => kind), "held", "another feed's lease")
  })

const firstEpoch: Body = () =>
  Effect.gen(function* () {
    const leases = yield* FeedLeases
    const first = yield* taken("a")
    yield* isEqual(first.schedule, { epoch: first.nowMs, nextTick: 0, seq: 0 }, "a new schedule")
    yield* isEqual(first.leaseUntilMs, first.nowMs + longMs, "the end of the lease")
    yield* isEqual(yield* leases.advance(first.lease, { nextTick: 7, seq: 5 }), true, "the holder advances")
    yield* isEqual(yield* leases.advance(first.lease, { nextTick: 6, seq: 4 }), true, "a late report of the holder")
    yield* leases.release(first.lease)
    const second = yield* taken("b")
    yield* isEqual(second.schedule, { ...first.schedule, nextTick: 7, seq: 5 }, "the successor continues; nothing went back")
    const begun = Option.getOrThrow(yield* leases.beginEpoch(second.lease))
    yield* holdsThat(begun.epoch > first.schedule.epoch, "a new epoch is later")
    yield* isEqual([begun.nextTick, begun.seq], [0, 0], "a new epoch begins at 0")
    const again = Option.getOrThrow(yield* leases.beginEpoch(second.lease))
    yield* holdsThat(again.epoch > begun.epoch, "an epoch begun within the same millisecond is later too")
  })

const formerOwner: Body = () =>
  Effect.gen(function* () {
    const leases = yield* FeedLeases
    const former = yield* taken("a", 0)
    yield* changesNothing(former.lease, "a lease that is over")
    const second = yield* taken("b")
    yield* changesNothing(former.lease, "a former owner")
    yield* isEqual((yield* ask("a")).kind, "taken", "the former owner")
    yield* isEqual(yield* leases.renew([former.lease, second.lease], 0), [second.lease], "of two leases the one that holds")
    const third = yield* taken("a")
    yield* changesNothing(former.lease, "an earlier term of the same owner")
    yield* isEqual(third.schedule, former.schedule, "the schedule, which nobody advanced")
    const fourth = yield* taken("a")
    yield* changesNothing(third.lease, "a lease that its owner has taken again")
    yield* isEqual(yield* leases.advance(fourth.lease, { nextTick: 1, seq: 1 }), true, "the newest lease advances")
  })

const lapses: Body = (clock) =>
  Effect.gen(function* () {
    const leases = yield* FeedLeases
    const first = yield* taken("a", shortMs)
    // The clock of the store is the hand's or the database's own.
    clock.advance(shortMs)
    const second = yield* Effect.retry(taken("b"), Schedule.intersect(Schedule.recurs(100), Schedule.spaced("10 millis")))
    yield* holdsThat(second.nowMs >= first.leaseUntilMs, `taken over at ${second.nowMs}, not before ${first.leaseUntilMs}`)
    yield* isEqual(second.schedule, first.schedule, "the schedule")
    yield* isEqual(yield* leases.advance(first.lease, { nextTick: 1, seq: 1 }), false, "a late report of the first")
  })

const forgets: Body = () =>
  Effect.gen(function* () {
    const leases = yield* FeedLeases
    const first = yield* taken("a")
    yield* leases.advance(first.lease, { nextTick: 3, seq: 3 })
    yield* leases.release(first.lease, true)
    yield* changesNothing(first.lease, "a lease of a schedule that is forgotten")
    const second = yield* taken("b")
    yield* isEqual([second.schedule.nextTick, second.schedule.seq], [0, 0], "a later owner begins anew")
    yield* holdsThat(second.schedule.epoch > first.schedule.epoch, "in a later epoch")
  })

const renewsMany: Body = () =>
  Effect.gen(function* () {
    const leases = yield* FeedLeases
    const keys = Array.from({ length: 150 }, (_, at) => `feed ${at}`)
    const held = yield* Effect.forEach(keys, (feedKey) => Effect.map(taken("a", longMs, feedKey), ({ lease }) => lease))
    const lost = held.filter((_, at) => at % 50 === 0)
    yield* isEqual((yield* leases.renew(lost, 0)).length, lost.length, "leases that are ended")
    const renewed = yield* leases.renew(held, longMs)
    const expected = held.filter((lease) => !lost.includes(lease)).map(({ feedKey }) => feedKey)
    yield* isEqual(renewed.map(({ feedKey }) => feedKey).sort(), expected.sort(), "leases that are renewed")
    yield* isEqual(yield* leases.renew([], longMs), [], "no leases")
  })

const bodies: Readonly<Record<string, Body>> = {
  "of many concurrent owners one is given the lease, and each feed has its own": oneOfMany,
  "a schedule begins at 0, its next owner continues it, nothing goes back, and every epoch is later than the one before": firstEpoch,
  "a lease that is over, of another owner or of an earlier term changes nothing": formerOwner,
  "a lease that is not renewed is taken over when it ends, not before": lapses,
  "a schedule that its holder forgets begins anew": forgets,
  "many leases are renewed together, except those that are over": renewsMany,
  "any requests of three owners, some of which pause or die, are answered as the model says": agreesWithModel
}

/** The laws of the leases of feeds, over stores from `makeStores`. */
export const feedLeaseLaws = (makeStores: () => Layer.Layer<FeedLeases>): ReadonlyArray<Law> =>
  Object.entries(bodies).map(([name, body]) => ({
    name,
    run: Effect.suspend(() => {
      const clock = makeHandClock(lawStartMs)
      return Effect.withClock(Effect.provide(body(clock), makeStores()), clock)
    })
  }))
