/** All data is still there after the database is reopened. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Directory, Keys, Ledger, programIdOf, ProgramStore, type Project, Provisioning, ResultStore } from "@sibyl/core"
import { makeHandClock, sampleReport } from "@sibyl/testing"
import { Effect, Layer, Option, Redacted } from "effect"
import { expect, it } from "vitest"
import { layerTestStoresAt } from "./fixtures/testStores.ts"
import { describeDatabases } from "./fixtures/testDatabases.ts"
import { signingSecret } from "./sqlSigner.ts"

const startMs = 1_748_781_296_789
const leaseMs = 60_000
const program = Uint8Array.of(0, 97, 115, 109)
const drId = "d1".repeat(32)

const reportFor = (project: Project) => sampleReport({ projectId: project.projectId, id: "r1", drId, executedAtMs: startMs, total: 3n })

const firstLife = Effect.gen(function* () {
  const provisioning = yield* Provisioning
  const ledger = yield* Ledger
  const project = yield* provisioning.createProject({
    organizationSlug: "acme",
    usageLimit: { periodMs: 86_400_000, credits: 50n },
    limits: { proxyBudgetCredits: 7n }
  })
  const { projectId } = project
  yield* provisioning.grant(projectId, 100n)
  const { key } = yield* (yield* Keys).issue(projectId)
  const report = reportFor(project)
  const settled = yield* ledger.hold(project, 10n, leaseMs)
  yield* ledger.settleChosen(settled, report, { drId, timestampMs: startMs, owner: "first life" })
  const open = yield* ledger.hold(project, 20n, leaseMs)
  yield* (yield* ProgramStore).put(program)
  const secret = Redacted.value(yield* signingSecret)
  return { project, key, report, settled, open, secret }
})

describeDatabases("a reopened database", (database) => {
  it("has everything", () => {
    const clock = makeHandClock(startMs)
    const test = Effect.gen(function* () {
      const place = yield* database.create
      const before = yield* Effect.provide(firstLife, layerTestStoresAt(place))
      const { project, report } = before
      const secondLife = Effect.gen(function* () {
        const ledger = yield* Ledger
        const results = yield* ResultStore
        const principal = yield* (yield* Directory).authenticate(before.key)
        expect(principal.project).toEqual(project)
        expect(yield* results.last(project.projectId, report.dataRequest, "success")).toEqual(Option.some(report))
        expect(yield* (yield* ProgramStore).get(programIdOf(program))).toEqual(Option.some(program))
        const chosen = { drId, timestampMs: startMs, owner: "second life" }
        const next = yield* ledger.hold(project, 1n, leaseMs)
        const refused = yield* Effect.flip(ledger.settleChosen(next, { ...report, id: "r2" }, chosen))
        expect(refused.timestampMs).toBe(startMs + 1)
        yield* ledger.void(next)
        expect(Redacted.value(yield* signingSecret)).toEqual(before.secret)
        // The result of a charge may have been lost; asking again after the restart charges nothing.
        expect(yield* ledger.settle(before.settled, report)).toMatchObject({ granted: 100n, used: 3n })
        clock.advance(leaseMs)
        expect(yield* ledger.balance(project)).toEqual({ granted: 100n, used: 3n, held: 0n, periodUsed: 3n })
      })
      yield* Effect.provide(secondLife, layerTestStoresAt(place))
    })
    return Effect.runPromise(Effect.withClock(Effect.scoped(test), clock))
  })

  it("has returned the holds whose lease ended while it was closed, before any request", () => {
    const clock = makeHandClock(startMs)
    const test = Effect.gen(function* () {
      const place = yield* database.create
      const { open, project } = yield* Effect.provide(firstLife, layerTestStoresAt(place))
      clock.advance(leaseMs)
      const held = Effect.gen(function* () {
        const sql = yield* SqlClient
        expect(yield* sql`SELECT held FROM accounts`).toMatchObject([{ held: "0" }])
        expect(yield* sql`SELECT state FROM holds WHERE hold_id = ${open.holdId}`).toMatchObject([{ state: "voided" }])
        expect((yield* (yield* Ledger).balance(project)).held).toBe(0n)
      })
      yield* Effect.provide(held, layerTestStoresAt(place))
    })
    return Effect.runPromise(Effect.withClock(Effect.scoped(test), clock))
  })

  it("has had every migration once, however many open it", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* database.create
          const migrations = Effect.flatMap(SqlClient, (sql) => sql`SELECT migration_id, name FROM migrations ORDER BY migration_id`)
          const first = yield* Effect.provide(migrations, layerTestStoresAt(place))
          const twice = Layer.merge(layerTestStoresAt(place), Layer.fresh(layerTestStoresAt(place)))
          expect(first[0]).toMatchObject({ migration_id: 1, name: "stores" })
          expect(new Set(first.map(({ migration_id }) => migration_id)).size).toBe(first.length)
          expect(yield* Effect.provide(migrations, twice)).toEqual(first)
        })
      )
    ))
})
