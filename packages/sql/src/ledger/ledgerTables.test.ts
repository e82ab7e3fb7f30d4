/** The ledger's tables: an append-only journal, with which everything else agrees. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Ledger, Provisioning } from "@sibyl/core"
import { makeHandClock, sampleReport } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { Effect, Exit } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { voidLapsedHolds } from "./expiredHolds.ts"
import { auditLedger } from "../fixtures/auditLedger.ts"
import { layerTestStoresAt } from "../fixtures/testStores.ts"
import { describeDatabases, layerTestStores } from "../fixtures/testDatabases.ts"

const leaseMs = 1_000

type Fate = "settle" | "void" | "leave"
const fates = fc.array(
  fc.record({ fate: fc.constantFrom<Fate>("settle", "void", "leave"), amount: fc.bigInt({ min: 0n, max: 2n ** 70n }) }),
  { maxLength: 15, size: "max" }
)

const live = (history: ReadonlyArray<{ readonly fate: Fate; readonly amount: bigint }>) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const provisioning = yield* Provisioning
    const project = yield* provisioning.createProject({ organizationSlug: "acme" })
    const { projectId } = project
    yield* provisioning.grant(projectId, 2n ** 73n)
    for (const [at, { amount, fate }] of history.entries()) {
      const hold = yield* Effect.option(ledger.hold(project, amount, leaseMs))
      if (hold._tag === "None" || fate === "leave") continue
      const report = sampleReport({ projectId, id: `${at}`, executedAtMs: at, total: amount / 3n })
      yield* fate === "void" ? ledger.void(hold.value) : ledger.settle(hold.value, report)
    }
    return project
  })

describeDatabases("the journal", (database) => {
  const stores = () => layerTestStores(database)
  // Every history needs its own database, with a thread that writes to it, which is quick to create only as a file.
  const histories = database.kind === "SQLite" ? soakCount({ everyday: 12, full: 200 }) : 4

  it("adds up to the accounts, and every charge has its report", async () => {
    const history = (steps: Parameters<typeof live>[0]) => {
      const clock = makeHandClock(0)
      const run = Effect.gen(function* () {
        const project = yield* live(steps)
        const [open] = yield* auditLedger
        expect(open?.kept).toEqual(open?.fromJournal)
        expect(open?.reports).toEqual(open?.charges)
        // The lease of an escrow is longer than those of the holds that are drawn from it.
        clock.advance(2 * leaseMs)
        const balance = yield* (yield* Ledger).balance(project)
        yield* voidLapsedHolds
        expect(yield* (yield* Ledger).balance(project)).toEqual(balance)
        const [books] = yield* auditLedger
        expect(books?.kept).toEqual(books?.fromJournal)
        expect({ ...books?.kept, periodUsed: 0n }).toEqual(balance)
        expect(books?.openHolds).toBe(0)
      })
      return Effect.runPromise(Effect.withClock(Effect.provide(run, stores()), clock))
    }
    await fc.assert(fc.asyncProperty(fates, history), { numRuns: histories })
  })

  it("is append-only", () =>
    Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* live([{ fate: "settle", amount: 9n }])
          const before = yield* sql`SELECT * FROM journal ORDER BY entry`
          expect(before).toHaveLength(3)
          const emptied = sql.onDialectOrElse({ pg: () => [sql`TRUNCATE journal CASCADE`], orElse: () => [] })
          for (const change of [sql`UPDATE journal SET credits = '0'`, sql`DELETE FROM journal`, ...emptied]) {
            const refusal = yield* Effect.flip(change)
            expect(refusal.cause).toMatchObject({ message: "the journal is append-only" })
          }
          expect(yield* sql`SELECT * FROM journal ORDER BY entry`).toEqual(before)
        }),
        stores()
      )
    ))

  it("refuses a second resolution of a hold, a negative amount and a float, whatever the application does", () =>
    Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const { projectId } = yield* live([{ fate: "settle", amount: 9n }])
          const [hold] = yield* sql<{ hold_id: string }>`SELECT hold_id FROM holds`
          const again = sql`INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms)
            VALUES (${projectId}, 4, 'void', '9', ${hold?.hold_id ?? ""}, 0)`
          const orphan = sql`
            INSERT INTO reports (project_id, entry, dr_id, request_key, exit_code, executed_at_ms, body)
            VALUES (${projectId}, 99, '', '', 0, 0, '{}')`
          const refused = [
            again,
            orphan,
            sql`UPDATE accounts SET used = '-1'`,
            sql`UPDATE accounts SET used = ''`,
            // PostgreSQL rounds a float for an integer column.
            ...(database.kind === "SQLite" ? [sql`UPDATE accounts SET last_entry = 1.5`] : [])
          ]
          for (const change of refused) expect(Exit.isFailure(yield* Effect.exit(change))).toBe(true)
          expect((yield* auditLedger).map(({ kept }) => kept)).toEqual([{ granted: 2n ** 73n, used: 3n, held: 0n }])
        }),
        stores()
      )
    ))
})

describe("queries", () => {
  it("of pages and last results are answered from an index", () =>
    Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const plans = [
            sql`EXPLAIN QUERY PLAN SELECT body FROM reports WHERE project_id = 'p' AND dr_id = 'd'
              AND executed_at_ms >= 1 AND (executed_at_ms, entry) < (2, 3)
              ORDER BY executed_at_ms DESC, entry DESC LIMIT 9`,
            sql`EXPLAIN QUERY PLAN SELECT body FROM reports WHERE project_id = 'p' AND request_key = 'k'
              ORDER BY executed_at_ms DESC, entry DESC LIMIT 1`,
            sql`EXPLAIN QUERY PLAN SELECT body FROM reports WHERE project_id = 'p' AND request_key = 'k'
              AND exit_code = 0 ORDER BY executed_at_ms DESC, entry DESC LIMIT 1`,
            sql`EXPLAIN QUERY PLAN SELECT hold_id FROM holds
              WHERE project_id = 'p' AND state = 'held' AND lease_end_ms <= 9`
          ]
          const indexes = ["reports_page", "reports_last", "reports_success", "holds_open"]
          for (const [at, plan] of plans.entries()) {
            const steps = (yield* plan).map((row) => String((row as { detail: unknown }).detail))
            expect(steps).toHaveLength(1)
            expect(steps[0]).toMatch(new RegExp(`^SEARCH .* USING INDEX ${indexes[at]} `))
          }
        }),
        layerTestStoresAt(":memory:")
      )
    ))
})
