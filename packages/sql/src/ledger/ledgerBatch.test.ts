/**
 * On a real database: a failing operation affects no other in its batch, and an interrupted caller neither loses nor duplicates a credit.
 */
import { type Hold, Ledger, type Project, Provisioning, ResultStore } from "@sibyl/core"
import { sampleReport } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { Cause, Effect, Exit, Fiber, Option, Schedule } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { auditLedger } from "../fixtures/auditLedger.ts"
import { describeDatabases, layerTestStores } from "../fixtures/testDatabases.ts"
import { SqlDefect } from "../database/sqlDefect.ts"

const leaseMs = 60_000

const fundedProject = (credits: bigint) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const project = yield* provisioning.createProject({ organizationSlug: "batch" })
    yield* provisioning.grant(project.projectId, credits)
    return project
  }).pipe(Effect.orDie)

const reportOf = ({ projectId }: Project, id: string) => sampleReport({ projectId, id, executedAtMs: 0, total: 2n })

const expectSoundBooks = Effect.map(Effect.orDie(auditLedger), (all) => {
  for (const { charges, entries, fromJournal, kept, reports } of all) {
    expect(kept).toEqual(fromJournal)
    expect(reports).toEqual(charges)
    expect(entries).toEqual(entries.map((_, at) => at + 1))
  }
})

const nth = <A>(list: ReadonlyArray<A>, at: number): A => {
  const found = list[at % list.length]
  if (found === undefined) throw new Error("an empty list")
  return found
}

const takeMany = (projects: ReadonlyArray<Project>, count: number) =>
  Effect.flatMap(Ledger, (ledger) =>
    Effect.all(
      Array.from({ length: count }, (_, at) => ledger.hold(nth(projects, at), 5n, leaseMs)),
      { concurrency: "unbounded" }
    )
  ).pipe(Effect.orDie)

describeDatabases("a batch", (database) => {
  it("with one that the database refuses fails only that one, and gives it no credits", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const projects = [yield* fundedProject(1_000n), yield* fundedProject(1_000n), yield* fundedProject(1_000n)]
      const holds = yield* takeMany(projects, 60)
      const guilty = new Set([7, 31])
      const exits = yield* Effect.forEach(
        holds,
        (hold, at) => {
          const id = guilty.has(at) ? `r\u0000${at}` : `r${at}`
          return Effect.exit(ledger.settle(hold, reportOf(nth(projects, at), id)))
        },
        { concurrency: "unbounded" }
      )
      for (const [at, exit] of exits.entries()) {
        expect(Exit.isSuccess(exit)).toBe(!guilty.has(at))
        const defects = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
        for (const defect of defects) expect(defect).toBeInstanceOf(SqlDefect)
      }
      yield* expectSoundBooks
      expect(yield* ledger.balance(nth(projects, 1))).toEqual({ granted: 1_000n, used: 36n, held: 10n, periodUsed: 0n })
    }).pipe(Effect.provide(layerTestStores(database)), Effect.runPromise))

  // A file's transaction ends within a turn of the event loop, a server's takes some milliseconds.
  const later = (turns: number): Effect.Effect<void> =>
    database.kind === "SQLite"
      ? Effect.forEach(Array.from({ length: turns }), () => Effect.yieldNow(), { discard: true })
      : Effect.sleep(turns / 2)

  it("with interrupted callers leaves exactly the holds that were returned to a caller", async () => {
    /** `null` for a caller that stays, else when it is interrupted. */
    const history = (goneAfter: ReadonlyArray<number | null>) =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const project = yield* fundedProject(10_000n)
        const given: Array<Hold> = []
        const caller = Effect.uninterruptibleMask((restore) =>
          Effect.tap(restore(ledger.hold(project, 5n, leaseMs)), (hold) => given.push(hold))
        )
        const fibers = yield* Effect.forEach(goneAfter, () => Effect.fork(caller))
        const leavers = yield* Effect.forEach(goneAfter, (turns, at) =>
          Effect.fork(turns === null ? Effect.void : Effect.zipRight(later(turns), Fiber.interrupt(nth(fibers, at))))
        )
        yield* Effect.forEach(leavers, Fiber.join)
        yield* Effect.forEach(fibers, Fiber.await)
        // A hold of nothing is never drawn from an escrow: every earlier hold has been committed before it, and its return ordered.
        yield* ledger.void(yield* ledger.hold(project, 0n, leaseMs))
        const held = 5n * BigInt(given.length)
        // What other interrupted callers had drawn is given back soon after.
        const undone = Effect.map(ledger.balance(project), (balance) => balance.held <= held)
        yield* Effect.repeat(undone, { until: Boolean, schedule: Schedule.spaced(5), times: 1_000 })
        expect(yield* ledger.balance(project)).toEqual({ granted: 10_000n, used: 0n, held, periodUsed: 0n })
        yield* expectSoundBooks
      }).pipe(Effect.provide(layerTestStores(database)), Effect.runPromise)
    const turns = fc.array(fc.option(fc.nat({ max: 20 })), { minLength: 1, maxLength: 40, size: "max" })
    await fc.assert(fc.asyncProperty(turns, history), { numRuns: database.kind === "SQLite" ? soakCount({ everyday: 12, full: 200 }) : 6 })
  })

  it("of large reports of many projects is completed, each as it was", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const projects = yield* Effect.replicateEffect(fundedProject(1_000n), 20)
      const holds = yield* takeMany(projects, 60)
      const result = new Uint8Array(96_000).map((_, at) => at)
      const large = (project: Project, id: string) => {
        const report = reportOf(project, id)
        return { ...report, execute: { ...report.execute, result }, dataResult: { ...report.dataResult, result } }
      }
      yield* Effect.forEach(holds, (hold, at) => ledger.settle(hold, large(nth(projects, at), `r${at}`)), {
        concurrency: "unbounded",
        discard: true
      })
      yield* expectSoundBooks
      const results = yield* ResultStore
      for (const at of [0, 19, 59]) {
        const project = nth(projects, at)
        expect(yield* results.find(project.projectId, `r${at}`)).toEqual(Option.some(large(project, `r${at}`)))
      }
    }).pipe(Effect.provide(layerTestStores(database)), Effect.runPromise))

  it("that costs more than its hold is stored with what was charged", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const project = yield* fundedProject(100n)
      const [hold] = yield* takeMany([project], 1)
      if (hold === undefined) throw new Error("no hold")
      const report = reportOf(project, "dear")
      yield* ledger.settle(hold, { ...report, cost: { ...report.cost, total: 9n } })
      const stored = yield* (yield* ResultStore).find(project.projectId, "dear")
      expect(stored).toEqual(Option.some({ ...report, cost: { ...report.cost, total: 5n } }))
      expect((yield* ledger.balance(project)).used).toBe(5n)
    }).pipe(Effect.provide(layerTestStores(database)), Effect.runPromise))

  it("that does not fit into one transaction is completed", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const projects = yield* Effect.replicateEffect(fundedProject(10_000n), 3)
      const holds = yield* takeMany(projects, 700)
      expect(new Set(holds.map(({ holdId }) => holdId)).size).toBe(700)
      yield* Effect.forEach(holds, (hold, at) => ledger.settle(hold, reportOf(nth(projects, at), `r${at}`)), {
        concurrency: "unbounded",
        discard: true
      })
      yield* expectSoundBooks
      const balances = yield* Effect.forEach(projects, ledger.balance)
      expect(balances.map(({ held }) => held)).toEqual([0n, 0n, 0n])
      expect(balances.reduce((sum, { used }) => sum + used, 0n)).toBe(1_400n)
    }).pipe(Effect.provide(layerTestStores(database)), Effect.runPromise))
})
