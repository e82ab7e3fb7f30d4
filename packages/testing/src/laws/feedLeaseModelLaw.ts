/** The law that leases of feeds agree with a model, for any requests of three owners that pause, die and come back. */
import { type FeedLease, FeedLeases } from "@sibyl/core"
import { Effect, Option } from "effect"
import fc from "fast-check"
import { isEqual, LawBroken } from "./law.ts"
import { soakCount } from "../soak/soakCount.ts"

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

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
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
export const agreesWithModel = (): Effect.Effect<void, LawBroken, FeedLeases> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<FeedLeases>()
    let feeds = 0
    const property = fc.asyncProperty(steps, (history) => {
      feeds += 1
      return Effect.runPromise(Effect.provide(agree(`feed ${feeds}`, history), runtime))
    })
    yield* Effect.tryPromise({
      try: () => fc.assert(property, { numRuns: cases }),
      catch: (cause) => new LawBroken({ message: cause instanceof Error ? cause.message : String(cause) })
    })
  })
