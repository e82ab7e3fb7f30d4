/** The laws of the result store: last results, pages newest first (decisions D11, D28). */
import {
  type ExecutionReport,
  type LastResultMode,
  Ledger,
  type PlacedReport,
  type Project,
  type ReportQuery,
  ResultStore
} from "@sibyl/core"
import { Effect, Option } from "effect"
import fc from "fast-check"
import { isEqual, type Law, LawBroken } from "./form/law.ts"
import { plainLaws } from "./form/plainLaws.ts"
import { type SampleReportInput, sampleReport } from "./sampleReport.ts"
import { fundedProject, lawStartMs, type MakeStores, type Stores } from "./form/stores.ts"
import { soakCount } from "../soak/soakCount.ts"

type Body = Effect.Effect<void, LawBroken, Stores>

const drId = "d1".repeat(32)
const leaseMs = 60_000

/** Reports are only stored through the ledger, also in the laws. */
const keep = (project: Project, input: Omit<SampleReportInput, "projectId" | "total">) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const report = sampleReport({ ...input, projectId: project.projectId, total: 1n })
    yield* ledger.settle(yield* Effect.orDie(ledger.hold(project, 1n, leaseMs)), report)
    return report
  })

const lastOf = (project: Project, like: ExecutionReport, mode: LastResultMode) =>
  Effect.flatMap(ResultStore, (results) => Effect.map(results.last(project.projectId, like.dataRequest, mode), Option.getOrUndefined))

const pageOf = (query: ReportQuery): Effect.Effect<ReadonlyArray<PlacedReport>, never, ResultStore> =>
  Effect.flatMap(ResultStore, (results) => results.page(query))

const idsOf = (placed: ReadonlyArray<PlacedReport>): ReadonlyArray<string> => placed.map(({ report }) => report.id)

const roundTrip: Body = Effect.gen(function* () {
  const project = yield* fundedProject(10n)
  const full = yield* keep(project, { id: "full", executedAtMs: lawStartMs })
  const skipped = yield* keep(project, { id: "skipped", executedAtMs: lawStartMs + 1, exitCode: 9, skippedTally: true })
  const placed = yield* pageOf({ projectId: project.projectId, drId, amount: 10 })
  yield* isEqual(
    placed.map(({ report }) => report),
    [skipped, full],
    "the reports that come back"
  )
})

const lastResults: Body = Effect.gen(function* () {
  const [mine, other] = [yield* fundedProject(99n), yield* fundedProject(99n)]
  const like = sampleReport({ projectId: mine.projectId, id: "", executedAtMs: 0, total: 0n })
  yield* isEqual(yield* lastOf(mine, like, "last"), undefined, "nothing is stored")
  const failed = yield* keep(mine, { id: "failed", executedAtMs: lawStartMs, exitCode: 3 })
  yield* isEqual(yield* lastOf(mine, like, "last"), failed, "the last is the failed one")
  yield* isEqual(yield* lastOf(mine, like, "success"), undefined, "and there is no success")
  const good = yield* keep(mine, { id: "good", executedAtMs: lawStartMs + 1, execGasLimit: 5n, drId: "d5".repeat(32) })
  yield* isEqual(yield* lastOf(mine, like, "success"), good, "a success under another gas limit")
  const worse = yield* keep(mine, { id: "worse", executedAtMs: lawStartMs + 2, exitCode: 255 })
  yield* isEqual(yield* lastOf(mine, like, "last"), worse, "the last whatever it was")
  yield* isEqual(yield* lastOf(mine, like, "success"), good, "the last success")
  // Runs that end in one order and are settled in another: the later one stays the last.
  yield* keep(mine, { id: "late", executedAtMs: lawStartMs + 1, exitCode: 1 })
  yield* isEqual(yield* lastOf(mine, like, "last"), worse, "after an older one came in late")
  const again = yield* keep(mine, { id: "again", executedAtMs: lawStartMs + 2 })
  yield* isEqual(yield* lastOf(mine, like, "last"), again, "of the same moment, the one that came in later")
  const inputs = yield* keep(mine, { id: "inputs", executedAtMs: lawStartMs + 9, execInputs: Uint8Array.of(4) })
  yield* isEqual(yield* lastOf(mine, like, "last"), again, "other inputs are another request")
  yield* isEqual(yield* lastOf(mine, inputs, "last"), inputs, "with a last result of its own")
  yield* isEqual(yield* lastOf(other, like, "last"), undefined, "another project has none")
})

const foundById: Body = Effect.gen(function* () {
  const results = yield* ResultStore
  const [{ projectId }, other] = [yield* fundedProject(0n), yield* fundedProject(99n)]
  const first = yield* keep(other, { id: "first", executedAtMs: lawStartMs })
  const second = yield* keep(other, { id: "second", executedAtMs: lawStartMs, exitCode: 7, skippedTally: true })
  const find = (id: string) => Effect.map(results.find(other.projectId, id), Option.getOrUndefined)
  yield* isEqual([yield* find("first"), yield* find("second")], [first, second], "both reports by id")
  yield* isEqual(yield* find("fir%"), undefined, "an id that is none")
  yield* isEqual(yield* results.find(projectId, "first"), Option.none(), "another project's report")
})

const newestFirst: Body = Effect.gen(function* () {
  const results = yield* ResultStore
  const [mine, other] = [yield* fundedProject(99n), yield* fundedProject(99n)]
  const newest = (project: Project, amount: number) =>
    Effect.map(results.newest(project.projectId, amount), (reports) => reports.map(({ id }) => id))
  yield* isEqual(yield* newest(mine, 5), [], "nothing is stored")
  yield* keep(mine, { id: "a", executedAtMs: lawStartMs + 9 })
  yield* keep(other, { id: "theirs", executedAtMs: lawStartMs })
  yield* keep(mine, { id: "b", executedAtMs: lawStartMs, drId: "d9".repeat(32), exitCode: 3 })
  yield* keep(mine, { id: "c", executedAtMs: lawStartMs + 1 })
  yield* isEqual(yield* newest(mine, 5), ["c", "b", "a"], "everything of the project, in the order of settlement")
  yield* isEqual(yield* newest(mine, 2), ["c", "b"], "the newest two")
  yield* isEqual(yield* newest(other, 5), ["theirs"], "another project")
})

const pagesByTime: Body = Effect.gen(function* () {
  const [mine, other] = [yield* fundedProject(99n), yield* fundedProject(99n)]
  for (const [id, offsetMs] of Object.entries({ a: 0, b: 10, c: 10, d: 20 })) {
    yield* keep(mine, { id, executedAtMs: lawStartMs + offsetMs })
  }
  yield* keep(mine, { id: "elsewhere", executedAtMs: lawStartMs, drId: "d9".repeat(32) })
  const query = { projectId: mine.projectId, drId, amount: 100 }
  const ids = (more: Partial<ReportQuery>) => Effect.map(pageOf({ ...query, ...more }), idsOf)
  yield* isEqual(yield* ids({}), ["d", "c", "b", "a"], "everything, newest first")
  yield* isEqual(yield* ids({ amount: 2 }), ["d", "c"], "the newest two")
  yield* isEqual(yield* ids({ startMs: lawStartMs + 10 }), ["d", "c", "b"], "the start is inclusive")
  yield* isEqual(yield* ids({ endMs: lawStartMs + 10 }), ["a"], "the end is exclusive")
  yield* isEqual(yield* ids({ startMs: lawStartMs + 1, endMs: lawStartMs + 20, amount: 1 }), ["c"], "a window and an amount")
  yield* isEqual(yield* ids({ drId: "d0".repeat(32) }), [], "an unknown drId")
  yield* isEqual(yield* ids({ projectId: other.projectId }), [], "another project")
})

const pagesStayWhileReportsArrive = (offsetsMs: ReadonlyArray<number>, later: ReadonlyArray<number>, amount: number) =>
  Effect.gen(function* () {
    const project = yield* fundedProject(1_000n)
    const arrived = yield* Effect.forEach(offsetsMs, (offsetMs, at) => keep(project, { id: `${at}`, executedAtMs: lawStartMs + offsetMs }))
    const query = { projectId: project.projectId, drId, amount }
    const expected = arrived
      .map(({ executedAtMs, id }) => ({ executedAtMs, at: Number(id) }))
      .sort((left, right) => right.executedAtMs - left.executedAtMs || right.at - left.at)
      .map(({ at }) => `${at}`)
    const seen: Array<string> = []
    const incoming = [...later]
    let placed = yield* pageOf(query)
    // A store that repeats pages is stopped as soon as it returns more than there is.
    while (placed.length > 0 && seen.length <= expected.length) {
      seen.push(...idsOf(placed))
      // New runs are newer than anything that a reader still has to see.
      const offsetMs = incoming.pop()
      if (offsetMs !== undefined) yield* keep(project, { id: `late ${incoming.length}`, executedAtMs: lawStartMs + 100 + offsetMs })
      const before = placed.at(-1)?.position
      placed = before === undefined ? [] : yield* pageOf({ ...query, before })
    }
    yield* isEqual<ReadonlyArray<string>>(seen, expected, "all pages together")
  })

const pagesStable: Body = Effect.gen(function* () {
  const runtime = yield* Effect.runtime<Stores>()
  const offsets = fc.array(fc.nat({ max: 6 }), { maxLength: 12, size: "max" })
  const property = fc.asyncProperty(offsets, offsets, fc.integer({ min: 1, max: 5 }), (before, later, amount) =>
    Effect.runPromise(Effect.provide(pagesStayWhileReportsArrive(before, later, amount), runtime))
  )
  yield* Effect.tryPromise({
    try: () => fc.assert(property, { numRuns: soakCount({ everyday: 10, full: 25 }) }),
    catch: (cause) => new LawBroken({ message: cause instanceof Error ? cause.message : String(cause) })
  })
})

const bodies: Readonly<Record<string, Body>> = {
  "a report is read exactly as it was stored": roundTrip,
  "the newest reports of a project are found, whatever they ran": newestFirst,
  "the last result is the newest of its request, with exit code 0 or with any": lastResults,
  "a report is found by its id, in its own project only": foundById,
  "a page is newest first, within its dates, of its own project and drId": pagesByTime,
  "pages show every report once while new ones arrive": pagesStable
}

/** The laws of the result store, over stores from `makeStores`. */
export const resultStoreLaws = (makeStores: MakeStores): ReadonlyArray<Law> => plainLaws(bodies, makeStores)
