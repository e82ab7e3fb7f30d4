/** The laws of the leases of feeds: one owner at a time, and a former one changes nothing any more (D50). */
import { type FeedLease, FeedLeases, type FeedLeaseVerdict } from "@sibyl/core"
import { Effect, type Layer, Option, Schedule } from "effect"
import fc from "fast-check"
import type { HandClock } from "../clock/handClock.ts"
import { holdsThat, isEqual, isThere, type Law, LawBroken } from "./form/law.ts"
import { storeLaws } from "./form/storeLaws.ts"
import { soakCount } from "../soak/soakCount.ts"

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

/** Whether a time was read in the statement that ended at `nowMs`: a database's clock may go on within a statement. */
const isTimeOf = (nowMs: number, timeMs: number): boolean => timeMs <= nowMs && timeMs > nowMs - 10_000

const firstEpoch: Body = () =>
  Effect.gen(function* () {
    const leases = yield* FeedLeases
    const first = yield* taken("a")
    const { epoch } = first.schedule
    yield* isEqual(first.schedule, { epoch, nextTick: 0, seq: 0 }, "a new schedule")
    yield* holdsThat(isTimeOf(first.nowMs, epoch), `the epoch ${epoch} is the time of its beginning, ${first.nowMs}`)
    yield* holdsThat(isTimeOf(first.nowMs, first.leaseUntilMs - longMs), `the lease begins then, and ends at ${first.leaseUntilMs}`)
    yield* isEqual(yield* leases.advance(first.lease, { nextTick: 7, seq: 5 }), true, "the holder advances")
    yield* isEqual(yield* leases.advance(first.lease, { nextTick: 6, seq: 4 }), true, "a late report of the holder")
    yield* leases.release(first.lease)
    const second = yield* taken("b")
    yield* isEqual(second.schedule, { ...first.schedule, nextTick: 7, seq: 5 }, "the successor continues; nothing went back")
    const begun = yield* isThere(yield* leases.beginEpoch(second.lease), "a new epoch of the lease's holder")
    yield* holdsThat(begun.epoch > first.schedule.epoch, "a new epoch is later")
    yield* isEqual([begun.nextTick, begun.seq], [0, 0], "a new epoch begins at 0")
    const again = yield* isThere(yield* leases.beginEpoch(second.lease), "another epoch of the lease's holder")
    yield* holdsThat(again.epoch > begun.epoch, "an epoch begun within the same millisecond is later too")
  })

const formerOwner: Body = () =>
  Effect.gen(function* () {
    const leases = yield* FeedLeases
    const former = yield* taken("a", 0)
    yield* changesNothing(former.lease, "a lease that is over")
    const second = yield* taken("b")
    yield* changesNothing(former.lease, "a former owner")
    const refused = yield* ask("a")
    yield* isEqual(refused.kind, "taken", "the former owner")
    if (refused.kind === "taken" && refused.holder !== undefined) {
      const { lease, schedule } = second
      yield* isEqual(refused.holder, { owner: "b", epoch: schedule.epoch, term: lease.term }, "the holder, where a store tells it")
    }
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

const cases = soakCount({ everyday: 25, full: 200 })

/** Long enough for a history, or over at once: an owner that froze or died until its lease was over. */
const leaseMs = fc.constantFrom(3_600_000, 3_600_000, 0)
const handle = fc.nat()
const isForgetting = fc.boolean()

/** What an owner does. `handle` chooses one of the leases given so far, also of former owners. */
type Step =
  | { readonly kind: "acquire"; readonly owner: string; readonly leaseMs: number }
  | { readonly kind: "renew"; readonly handle: number; readonly leaseMs: number }
  | { readonly kind: "advance"; readonly handle: number; readonly nextTick: number; readonly seq: number }
  | { readonly kind: "beginEpoch"; readonly handle: number }
  | { readonly kind: "release"; readonly handle: number; readonly isForgetting: boolean }

const histories: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("acquire" as const), owner: fc.constantFrom("a", "b", "c"), leaseMs }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("renew" as const), handle, leaseMs }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("advance" as const), handle, nextTick: fc.nat({ max: 9 }), seq: fc.nat({ max: 9 }) })
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("beginEpoch" as const), handle }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("release" as const), handle, isForgetting }) }
  ),
  { minLength: 5, maxLength: 40, size: "max" }
)

/** The model: which of the leases given so far holds, if any, and the schedule. Epochs are counted. */
class Model {
  readonly owners: Array<string> = []
  holder: number | undefined
  epoch = 0
  nextTick = 0
  seq = 0
  #isForgotten = true

  acquire(owner: string, ms: number): boolean {
    if (this.holder !== undefined && this.owners[this.holder] !== owner) return false
    if (this.#isForgotten) this.begin()
    this.#isForgotten = false
    this.owners.push(owner)
    this.holder = ms > 0 ? this.owners.length - 1 : undefined
    return true
  }

  begin(): void {
    this.epoch += 1
    this.nextTick = 0
    this.seq = 0
  }

  advance(nextTick: number, seq: number): void {
    this.nextTick = Math.max(this.nextTick, nextTick)
    this.seq = Math.max(this.seq, seq)
  }

  release(isForgetting: boolean): void {
    this.holder = undefined
    this.#isForgotten = isForgetting
  }
}

/** The leases given so far, and the store's epochs in the order in which they began. */
interface Given {
  readonly leases: Array<FeedLease>
  readonly epochs: Array<number>
}

/** The number of an epoch of the store, 1 for the first; 0 for one that is not later than the last. */
const numberOf = ({ epochs }: Given, epoch: number): number => {
  const last = epochs.at(-1)
  if (last === epoch) return epochs.length
  if (last !== undefined && epoch < last) return 0
  return epochs.push(epoch)
}

/** What a step comes to, in the store and in the model. */
type Outcome = readonly [said: boolean, epoch?: number, nextTick?: number, seq?: number]

const inModel = (model: Model, step: Step): Outcome => {
  const shown = (): Outcome => [true, model.epoch, model.nextTick, model.seq]
  if (step.kind === "acquire") return model.acquire(step.owner, step.leaseMs) ? shown() : [false]
  if (model.owners.length === 0 || step.handle % model.owners.length !== model.holder) return [false]
  if (step.kind === "renew" && step.leaseMs === 0) model.holder = undefined
  if (step.kind === "advance") model.advance(step.nextTick, step.seq)
  if (step.kind === "release") model.release(step.isForgetting)
  if (step.kind !== "beginEpoch") return [true]
  model.begin()
  return shown()
}

const inStore = (given: Given, feedKey: string, step: Step, isHolder: boolean): Effect.Effect<Outcome, never, FeedLeases> =>
  Effect.gen(function* () {
    const leases = yield* FeedLeases
    if (step.kind === "acquire") {
      const verdict = yield* leases.acquire({ feedKey, owner: step.owner, leaseMs: step.leaseMs })
      if (verdict.kind === "taken") return [false]
      given.leases.push(verdict.lease)
      const { epoch, nextTick, seq } = verdict.schedule
      return [true, numberOf(given, epoch), nextTick, seq]
    }
    const lease = given.leases[step.handle % given.leases.length]
    if (lease === undefined) return [false]
    switch (step.kind) {
      case "renew":
        return [(yield* leases.renew([lease], step.leaseMs)).length > 0]
      case "advance":
        return [yield* leases.advance(lease, step)]
      case "release":
        yield* leases.release(lease, step.isForgetting)
        // It says nothing; the next steps show whether it did anything.
        return [isHolder]
      case "beginEpoch": {
        const begun = Option.getOrUndefined(yield* leases.beginEpoch(lease))
        return begun === undefined ? [false] : [true, numberOf(given, begun.epoch), begun.nextTick, begun.seq]
      }
    }
  })

const agree = (feedKey: string, history: ReadonlyArray<Step>): Effect.Effect<void, LawBroken, FeedLeases> =>
  Effect.gen(function* () {
    const model = new Model()
    const given: Given = { leases: [], epochs: [] }
    for (const [at, step] of history.entries()) {
      const expected = inModel(model, step)
      yield* isEqual(yield* inStore(given, feedKey, step, expected[0]), expected, `step ${at}, ${step.kind}`)
    }
  })

/** Random histories, each on a feed of its own. */
const agreesWithModel = (): Effect.Effect<void, LawBroken, FeedLeases> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<FeedLeases>()
    let feeds = 0
    const property = fc.asyncProperty(histories, (history) => {
      feeds += 1
      return Effect.runPromise(Effect.provide(agree(`feed ${feeds}`, history), runtime))
    })
    yield* Effect.tryPromise({
      try: () => fc.assert(property, { numRuns: cases }),
      catch: (cause) => new LawBroken({ message: cause instanceof Error ? cause.message : String(cause) })
    })
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
export const feedLeaseLaws = (makeStores: () => Layer.Layer<FeedLeases>): ReadonlyArray<Law> => storeLaws(bodies, makeStores)
