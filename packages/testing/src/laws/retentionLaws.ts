/** The laws of retention: old reports are deleted in small batches, last results stay (decisions D11, D28). */
import { Ledger, type Project, ResultStore, Retention } from "@sibyl/core"
import { Effect, type Layer, Option } from "effect"
import fc from "fast-check"
import { checkedMake } from "./form/checkedMake.ts"
import { isEqual, type Law, LawBroken } from "./form/law.ts"
import { sampleReport } from "./sampleReport.ts"
import { fundedProject, lawStartMs, type Stores } from "./form/stores.ts"
import { soakCount } from "../soak/soakCount.ts"

type Body = Effect.Effect<void, LawBroken, Stores | Retention>

interface Kept {
  readonly at: number
  readonly request: number
  readonly failed: boolean
}

const drId = "d1".repeat(32)
const inputs = (request: number): Uint8Array => Uint8Array.of(request)
const msOf = (at: number): number => lawStartMs + at * 1_000

const keep = (project: Project, { at, failed, request }: Kept, id: string) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const report = sampleReport({
      projectId: project.projectId,
      id,
      execInputs: inputs(request),
      executedAtMs: msOf(at),
      exitCode: failed ? 1 : 0,
      total: 1n
    })
    yield* ledger.settle(yield* Effect.orDie(ledger.hold(project, 1n, 60_000)), report)
    return report
  })

const idsOf = (project: Project) =>
  Effect.flatMap(ResultStore, (results) =>
    Effect.map(results.page({ projectId: project.projectId, drId, amount: 100 }), (placed) => placed.map(({ report }) => report.id))
  )

const oldGoes: Body = Effect.gen(function* () {
  const retention = yield* Retention
  const results = yield* ResultStore
  const [mine, other] = [yield* fundedProject(99n), yield* fundedProject(99n)]
  for (const at of [0, 1, 2, 3]) yield* keep(mine, { at, request: 1, failed: false }, `a${at}`)
  yield* keep(mine, { at: 1, request: 2, failed: false }, "only")
  yield* keep(other, { at: 0, request: 1, failed: false }, "theirs")
  yield* isEqual(yield* retention.sweep(msOf(0), 10), 0, "nothing is older than the first")
  yield* isEqual(yield* retention.sweep(msOf(2), 1), 1, "one at a time")
  yield* isEqual(yield* idsOf(mine), ["a3", "a2", "only", "a1"], "the oldest went first")
  yield* isEqual(yield* retention.sweep(msOf(9), 10), 2, "the rest of the old")
  yield* isEqual(yield* retention.sweep(msOf(9), 10), 0, "nothing is left to sweep")
  yield* isEqual(yield* idsOf(mine), ["a3", "only"], "the last of each request stays")
  yield* isEqual(yield* idsOf(other), ["theirs"], "another project's last stays")
  yield* isEqual(yield* results.find(mine.projectId, "a0"), Option.none(), "a swept report is not found by its id")
})

const shareIsKept: Body = Effect.gen(function* () {
  const retention = yield* Retention
  const [mine, other] = [yield* fundedProject(99n), yield* fundedProject(99n)]
  for (const at of [0, 1, 2, 3, 4]) yield* keep(mine, { at, request: 1, failed: false }, `a${at}`)
  for (const at of [0, 1, 2]) yield* keep(other, { at, request: 1, failed: false }, `b${at}`)
  yield* keep(mine, { at: 5, request: 2, failed: true }, "c")
  // The grant, too, is in the journal, and has no report.
  yield* isEqual(yield* retention.trim(6, 10), 0, "nobody has more than six")
  yield* isEqual(yield* retention.trim(3, 2), 2, "two at a time")
  yield* isEqual(yield* idsOf(mine), ["c", "a4", "a3", "a2"], "the oldest went first")
  yield* isEqual(yield* retention.trim(3, 10), 1, "the rest beyond the share")
  yield* isEqual(yield* retention.trim(3, 10), 0, "nothing is left to trim")
  yield* isEqual(yield* idsOf(mine), ["c", "a4", "a3"], "the newest three")
  yield* isEqual(yield* idsOf(other), ["b2", "b1", "b0"], "another project has a share of its own")
  yield* isEqual(yield* retention.trim(1, 10), 3, "one of each, and what is last")
  yield* isEqual(yield* idsOf(mine), ["c", "a4"], "the last of each request stays")
  yield* isEqual(yield* idsOf(other), ["b2"], "the newest of the other project")
})

const successStays: Body = Effect.gen(function* () {
  const retention = yield* Retention
  const results = yield* ResultStore
  const project = yield* fundedProject(99n)
  const like = yield* keep(project, { at: 0, request: 1, failed: true }, "failed first")
  const good = yield* keep(project, { at: 1, request: 1, failed: false }, "good")
  yield* keep(project, { at: 2, request: 1, failed: true }, "failed again")
  const last = yield* keep(project, { at: 3, request: 1, failed: true }, "failed last")
  yield* isEqual(yield* retention.sweep(msOf(9), 10), 2, "two are nobody's last")
  const lastOf = (mode: "last" | "success") => results.last(project.projectId, like.dataRequest, mode)
  yield* isEqual(yield* lastOf("last"), Option.some(last), "the last")
  yield* isEqual(yield* lastOf("success"), Option.some(good), "the last success")
})

const history = fc.array(fc.record({ at: fc.nat(6), request: fc.nat(2), failed: fc.boolean() }), { minLength: 1, maxLength: 14 })

/** The later of two: by time, then by the order of arrival, which is part of the id. */
const survivors = (kept: ReadonlyArray<Kept & { readonly order: number }>, border: number): ReadonlyArray<number> => {
  const isLater = (left: Kept & { order: number }, right: Kept & { order: number }): boolean =>
    left.at > right.at || (left.at === right.at && left.order > right.order)
  return kept
    .filter((one) => {
      const later = kept.filter((other) => other.request === one.request && isLater(other, one))
      const isLast = later.length === 0 || (!one.failed && later.every(({ failed }) => failed))
      return one.at >= border || isLast
    })
    .map(({ order }) => order)
    .toSorted((left, right) => left - right)
}

const anyHistory = (makeStores: () => Layer.Layer<Stores | Retention>): Effect.Effect<void, LawBroken> =>
  Effect.tryPromise({
    try: () =>
      fc.assert(
        fc.asyncProperty(history, fc.nat(7), (inputs, border) => {
          const check = Effect.gen(function* () {
            const project = yield* fundedProject(99n)
            for (const [order, input] of inputs.entries()) yield* keep(project, input, String(order))
            const retention = yield* Retention
            while ((yield* retention.sweep(msOf(border), 3)) > 0) yield* Effect.void
            const left = (yield* idsOf(project)).map(Number).toSorted((one, two) => one - two)
            const expected = survivors(
              inputs.map((input, order) => ({ ...input, order })),
              border
            )
            yield* isEqual(left, expected, "what is left")
          })
          return Effect.runPromise(Effect.provide(check, makeStores()))
        }),
        { numRuns: soakCount({ everyday: 8, full: 30 }) }
      ),
    catch: (cause) => new LawBroken({ message: String(cause) })
  })

/** The laws of retention, over stores from `makeStores`. */
export const retentionLaws = (makeStores: () => Layer.Layer<Stores | Retention>): ReadonlyArray<Law> => {
  const make = checkedMake(makeStores)
  return [
    { name: "old reports are deleted, oldest first, in batches", run: Effect.suspend(() => Effect.provide(oldGoes, make())) },
    { name: "no project keeps more than its share", run: Effect.suspend(() => Effect.provide(shareIsKept, make())) },
    {
      name: "the last result of a request stays, and its last success",
      run: Effect.suspend(() => Effect.provide(successStays, make()))
    },
    { name: "of any history exactly the recent and the last reports are left", run: anyHistory(make) }
  ]
}
