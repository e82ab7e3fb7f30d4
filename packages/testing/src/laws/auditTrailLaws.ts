/** The laws of the audit trail: entries come back as they were added, numbered one after another, also when many are added at once. */
import { type AuditedChange, AuditTrail } from "@sibyl/core"
import { Effect, type Layer } from "effect"
import { isEqual, type Law } from "./form/law.ts"
import { type LawBody, storeLaws } from "./form/storeLaws.ts"
import { lawStartMs } from "./form/stores.ts"

type Body = LawBody<AuditTrail>

const changeOf = (at: number): AuditedChange => ({
  action: "key.revoke",
  subject: `key ${at} “½”`,
  details: { at, isLast: false, name: null, text: 'a "quoted" \n line 🜚' }
})

const comesBack: Body = (clock) =>
  Effect.gen(function* () {
    const trail = yield* AuditTrail
    yield* isEqual(yield* trail.latest({ amount: 10 }), [], "an empty trail")
    const first = yield* trail.add("ada", changeOf(1))
    yield* isEqual(first, { entry: 1, atMs: lawStartMs, by: "ada", ...changeOf(1) }, "what adding answers")
    clock.advance(7)
    const second = yield* trail.add("service", changeOf(2))
    yield* isEqual(second, { entry: 2, atMs: lawStartMs + 7, by: "service", ...changeOf(2) }, "the second")
    yield* isEqual(yield* trail.after(0, 10), [first, second], "all of them, oldest first")
    yield* isEqual(yield* trail.latest({ amount: 10 }), [second, first], "all of them, newest first")
  })

const pages: Body = () =>
  Effect.gen(function* () {
    const trail = yield* AuditTrail
    for (let at = 1; at <= 5; at += 1) yield* trail.add("ada", changeOf(at))
    const numbers = <E, R>(read: Effect.Effect<ReadonlyArray<{ readonly entry: number }>, E, R>) =>
      Effect.map(read, (entries) => entries.map(({ entry }) => entry))
    yield* isEqual(yield* numbers(trail.after(2, 2)), [3, 4], "two after the second")
    yield* isEqual(yield* numbers(trail.after(5, 2)), [], "what follows the last")
    yield* isEqual(yield* numbers(trail.latest({ amount: 2 })), [5, 4], "the first page")
    yield* isEqual(yield* numbers(trail.latest({ amount: 3, beforeEntry: 4 })), [3, 2, 1], "the next page")
    yield* isEqual(yield* numbers(trail.latest({ amount: 3, beforeEntry: 1 })), [], "the page behind the last")
  })

const atOnce: Body = () =>
  Effect.gen(function* () {
    const trail = yield* AuditTrail
    const count = 20
    const wanted = Array.from({ length: count }, (_, at) => at + 1)
    const added = yield* Effect.all(
      wanted.map((at) => trail.add("ada", changeOf(at))),
      { concurrency: "unbounded" }
    )
    yield* isEqual(
      added.map(({ entry }) => entry).toSorted((left, right) => left - right),
      wanted,
      "their numbers"
    )
    const kept = yield* trail.after(0, 2 * count)
    yield* isEqual(
      kept.map(({ details }) => Number(details["at"])).toSorted((left, right) => left - right),
      wanted,
      "what is kept"
    )
  })

const asOne: Body = () =>
  Effect.gen(function* () {
    const trail = yield* AuditTrail
    const change = Effect.as(trail.add("ada", changeOf(1)), "changed")
    yield* isEqual(yield* trail.asOne(change), "changed", "what a change gives")
    yield* isEqual(yield* Effect.flip(trail.asOne(Effect.fail("refused"))), "refused", "a refused change")
    yield* isEqual((yield* trail.after(0, 10)).length, 1, "the entry of the one that was made")
  })

/** The laws over a trail from `makeTrail`, which must be new and empty each time. */
export const auditTrailLaws = (makeTrail: () => Layer.Layer<AuditTrail>): ReadonlyArray<Law> =>
  storeLaws<AuditTrail>(
    {
      "entries come back as they were added": comesBack,
      "pages follow each other": pages,
      "entries added at once are all kept": atOnce,
      "a change and its entries are one": asOne
    },
    makeTrail
  )
