/** The laws of timestamps: no two results of a drId have the same one, and none is earlier than one that was answered before (decision D22). */
import { type Balance, type ExecutionReport, Ledger, type Project, ResultStore, type StaleTimestamp } from "@sibyl/core"
import { Effect, Either } from "effect"
import { isEqual, type Law } from "./form/law.ts"
import { sampleReport } from "./sampleReport.ts"
import { type LawBody, storeLaws } from "./form/storeLaws.ts"
import { fundedProject, lawStartMs, type MakeStores } from "./form/stores.ts"

const drId = "d1".repeat(32)
const otherDrId = "d2".repeat(32)
const leaseMs = 60_000

/** A result whose timestamp a server has chosen, in ms after the law's start. */
interface ChosenRun {
  readonly project: Project
  readonly id: string
  readonly owner: string
  readonly afterMs: number
  readonly drId?: string
}

const dated = (report: ExecutionReport, timestampMs: number): ExecutionReport => ({
  ...report,
  dataResult: { ...report.dataResult, blockTimestamp: BigInt(timestampMs) }
})

/** Charges a run once; returns its hold and report too. */
const charged = (run: ChosenRun) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const { afterMs, id, owner, project, ...of } = run
    const timestampMs = lawStartMs + afterMs
    const hold = yield* Effect.orDie(ledger.hold(project, 1n, leaseMs))
    const report = dated(sampleReport({ projectId: project.projectId, id, executedAtMs: lawStartMs, total: 1n, ...of }), timestampMs)
    const chosen = { drId: run.drId ?? drId, timestampMs, owner }
    const settle: Effect.Effect<Balance, StaleTimestamp> = ledger.settleChosen(hold, report, chosen)
    return { hold, report, settle, outcome: yield* Effect.either(settle) }
  })

/** The time that the store gives out instead of the chosen one, in ms after the law's start; "stands" if it does not. */
const verdict = (run: ChosenRun) =>
  Effect.map(charged(run), ({ outcome }) => (Either.isRight(outcome) ? "stands" : outcome.left.timestampMs - lawStartMs))

/** Charges a run, signed again if need be; returns its timestamp in ms after the law's start. */
const answered = (run: ChosenRun) =>
  Effect.gen(function* () {
    const { hold, outcome, report } = yield* charged(run)
    if (Either.isRight(outcome)) return run.afterMs
    const { timestampMs } = outcome.left
    yield* (yield* Ledger).settle(hold, dated(report, timestampMs))
    return timestampMs - lawStartMs
  })

const inAnyOrder: LawBody = () =>
  Effect.gen(function* () {
    const [mine, other] = [yield* fundedProject(99n), yield* fundedProject(99n)]
    let runs = 0
    const expect = (owner: string, afterMs: number, expected: unknown, more: Partial<ChosenRun> = {}) =>
      Effect.flatMap(verdict({ project: mine, id: `r${(runs += 1)}`, owner, afterMs, ...more }), (found) =>
        isEqual<unknown>(found, expected, `${owner} at ${afterMs}, run ${runs}`)
      )
    yield* expect("left", 10, "stands")
    yield* expect("left", 5, "stands")
    yield* expect("left", 7, "stands")
    yield* expect("right", 10, 11)
    // 11 was given out.
    yield* expect("left", 11, 12)
    yield* expect("right", 20, "stands")
    yield* expect("right", 13, "stands")
    yield* expect("right", 12, 21)
    yield* expect("right", 30, "stands")
    yield* expect("left", 25, 31)
    yield* expect("left", -5_000, 32)
    yield* expect("right", 1, "stands", { drId: otherDrId })
    yield* expect("left", 1, "stands", { project: other })
  })

const nothingCharged: LawBody = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const results = yield* ResultStore
    const project = yield* fundedProject(99n)
    const { projectId } = project
    const page = () => Effect.map(results.page({ projectId, drId, amount: 10 }), (placed) => placed.map(({ report }) => report).reverse())
    const first = yield* charged({ project, id: "first", owner: "left", afterMs: 1_000 })
    // Frequent runs may draw their holds from an escrow: both kinds are tried.
    for (const [at, id] of ["exact", "second", "third", "drawn"].entries()) {
      const before = yield* page()
      const { hold, outcome, report } = yield* charged({ project, id, owner: "right", afterMs: at })
      yield* isEqual(Either.isLeft(outcome), true, `${id} does not stand`)
      const { held, used } = yield* ledger.balance(project)
      yield* isEqual([held, used], [1n, BigInt(at) + 1n], `nothing is charged for ${id}, and its hold stays`)
      yield* isEqual(yield* page(), before, `no report of ${id}`)
      if (Either.isRight(outcome)) continue
      const again = dated(report, outcome.left.timestampMs)
      const balance = yield* ledger.settle(hold, again)
      yield* isEqual([balance.held, balance.used], [0n, BigInt(at) + 2n], `${id} is charged`)
      yield* isEqual(yield* page(), [...before, again], `the report of ${id}`)
    }
    // An acknowledgement was lost: what was charged is not looked at again.
    yield* isEqual((yield* first.settle).used, 5n, "a repeated settlement")
    const times = (yield* page()).map(({ dataResult }) => Number(dataResult.blockTimestamp) - lawStartMs)
    yield* isEqual(times, [1_000, 1_001, 1_002, 1_003, 1_004], "the timestamps")
  })

const manyServers: LawBody = () =>
  Effect.gen(function* () {
    const project = yield* fundedProject(1_000n)
    const runs = Array.from({ length: 100 }, (_, at): ChosenRun => {
      // Each server chooses every time once, at the same moments.
      return { project, id: `r${at}`, owner: `server ${at % 3}`, afterMs: Math.floor(at / 3) }
    })
    const times = yield* Effect.forEach(runs, answered, { concurrency: "unbounded" })
    yield* isEqual(new Set(times).size, runs.length, "different timestamps")
    const later = yield* answered({ project, id: "later", owner: "server 1", afterMs: 40 })
    yield* isEqual(later > Math.max(...times), true, `${later} is later than all before`)
    const { used } = yield* (yield* Ledger).balance(project)
    yield* isEqual(used, 101n, "each is charged once")
  })

const datedAtOnce: LawBody = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const results = yield* ResultStore
    const project = yield* fundedProject(1_000n)
    const { projectId } = project
    const last = yield* charged({ project, id: "last", owner: "left", afterMs: 1_000 })
    yield* isEqual(Either.isRight(last.outcome), true, "the first stands")
    const settled = (at: number) =>
      Effect.gen(function* () {
        const id = `r${at}`
        const timestampMs = lawStartMs + at
        const hold = yield* Effect.orDie(ledger.hold(project, 1n, leaseMs))
        const report = dated(sampleReport({ projectId, id, executedAtMs: lawStartMs, total: 1n }), timestampMs)
        let latest = report
        const dating = (ms: number) => ({ report: (latest = dated(report, ms)) })
        const chosen = { drId, timestampMs, owner: `server ${at % 2}` }
        const outcome = yield* Effect.either(ledger.settleChosen(hold, report, chosen, { dated: dating }))
        if (Either.isLeft(outcome)) yield* ledger.settle(hold, (latest = dated(report, outcome.left.timestampMs)))
        return latest
      })
    const reports = yield* Effect.forEach(
      Array.from({ length: 40 }, (_, at) => at),
      settled,
      { concurrency: 20 }
    )
    const times = (all: ReadonlyArray<ExecutionReport>) => all.map(({ dataResult, id }) => `${id} ${dataResult.blockTimestamp}`).toSorted()
    const page = yield* results.page({ projectId, drId, amount: 100 })
    const kept = page.map(({ report }) => report)
    yield* isEqual(times(kept), times([last.report, ...reports]), "what is charged is what the last call returned")
    yield* isEqual(new Set(kept.map(({ dataResult }) => dataResult.blockTimestamp)).size, 41, "different timestamps")
    yield* isEqual(
      Math.min(...reports.map(({ dataResult }) => Number(dataResult.blockTimestamp) - lawStartMs)),
      1_001,
      "later than all before"
    )
    yield* isEqual((yield* ledger.balance(project)).used, 41n, "each is charged once")
  })

const bodies: Readonly<Record<string, LawBody>> = {
  "the timestamps that one server chooses stand in any order, those of another one if they are later than all before": inAnyOrder,
  "a run whose timestamp does not stand is not charged, and gets one that the store gives out for it alone": nothingCharged,
  "runs that can be dated at once are charged under what the store gives out, each once": datedAtOnce,
  "the timestamps of 100 concurrent results of three servers whose clocks agree are all different": manyServers
}

/** The laws of timestamps, over stores from `makeStores`. */
export const timestampLaws = (makeStores: MakeStores): ReadonlyArray<Law> => storeLaws(bodies, makeStores)
