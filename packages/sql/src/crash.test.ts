/** A process that is killed at any moment loses no charge and leaves no hold; a running one keeps its holds. */
import { Directory, Ledger } from "@sibyl/core"
import { makeHandClock } from "@sibyl/testing"
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { auditLedger, type LedgerAudit } from "./fixtures/auditLedger.ts"
import { layerTestStoresAt } from "./fixtures/testStores.ts"
import { spawnBusyService } from "./fixtures/spawnBusyService.ts"
import { describeDatabases } from "./fixtures/testDatabases.ts"
import { temporaryDatabase } from "./fixtures/temporaryDatabase.ts"

/** The lease of the busy service's holds; an escrow's is longer by half of it. */
const leaseMs = 3_600_000

const expectConsistentLedger = (books: LedgerAudit): void => {
  expect(books.kept).toEqual(books.fromJournal)
  expect(books.entries).toEqual(books.entries.map((_, at) => at + 1))
  expect(books.reports).toEqual(books.charges)
  expect(books.openHolds).toBe(0)
  expect(books.kept.held).toBe(0n)
}

describeDatabases("kill -9 under load", ({ createMigrated, kind }) => {
  // A SQLite file that no other process has open has only orphaned holds; on PostgreSQL their lease must end.
  const nextStart = () => makeHandClock(Date.now() + (kind === "SQLite" ? 0 : 2 * leaseMs))

  it.each([1, 2, 17, 60, 151])("after %i charges: the ledger is consistent and every hold is resolved", (charges) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* createMigrated
          const service = yield* Effect.promise(() => spawnBusyService(place, "charge"))
          yield* Effect.promise(() => service.untilLines(charges))
          yield* Effect.promise(service.kill)
          const books = yield* Effect.withClock(Effect.provide(auditLedger, layerTestStoresAt(place)), nextStart())
          books.forEach(expectConsistentLedger)
          const kept = books.flatMap(({ reportIds }) => reportIds)
          expect(kept).toEqual(expect.arrayContaining([...service.lines]))
          expect(new Set(kept).size).toBe(kept.length)
          expect(kept.length).toBeGreaterThanOrEqual(charges)
        })
      )
    )
  )
})

describe("a second process", () => {
  it("does not touch the holds of a running one", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const filename = yield* temporaryDatabase
          const service = yield* Effect.promise(() => spawnBusyService(filename, "hold"))
          yield* Effect.addFinalizer(() => Effect.promise(service.kill))
          yield* Effect.promise(() => service.untilLines(1))
          const balance = Effect.gen(function* () {
            const project = Option.getOrThrow(yield* (yield* Directory).project(service.lines[0] ?? ""))
            return yield* (yield* Ledger).balance(project)
          })
          expect(yield* Effect.provide(balance, layerTestStoresAt(filename))).toMatchObject({ granted: 10n, held: 10n })
        })
      )
    ))
})
