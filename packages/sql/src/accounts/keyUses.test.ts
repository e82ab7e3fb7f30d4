/** The last use of keys is written separately from authentication: rarely, soon, and without affecting it. */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import { Directory, Keys, Provisioning } from "@sibyl/core"
import { makeHandClock } from "@sibyl/testing"
import { Effect, Either, Layer, Logger, Redacted, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { layerTestStoresAt } from "../fixtures/testStores.ts"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { describeDatabases } from "../fixtures/testDatabases.ts"

const startMs = 1_748_781_296_789

const issueKey = Effect.gen(function* () {
  const { projectId } = yield* (yield* Provisioning).createProject({ organizationSlug: "acme" })
  const { key } = yield* (yield* Keys).issue(projectId)
  return { projectId, key }
})

const authenticate = (key: Redacted.Redacted) => Effect.flatMap(Directory, (directory) => directory.authenticate(key))

const lastUse = (projectId: string) =>
  Effect.map(
    Effect.flatMap(Keys, (keys) => keys.list(projectId)),
    ([key]) => key?.lastUsedAtMs ?? null
  )

/** Waits for a last use, at most a hundred times as long as it should take. */
const untilUsedAt = (projectId: string, usedAtMs: number) =>
  Effect.gen(function* () {
    for (let tries = 0; tries < 1_000 && (yield* lastUse(projectId)) !== usedAtMs; tries += 1) yield* Effect.sleep(10)
    return yield* lastUse(projectId)
  })

const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>, clock = makeHandClock(startMs)): Promise<A> =>
  Effect.runPromise(Effect.withClock(Effect.scoped(test), clock))

/** Hears every statement of the stores that are opened within it, in whichever fiber; answers those that look a key up to open it. */
const hearingLookups = <A, E, R>(test: (lookups: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const lookups: Array<string> = []
  const listen: Statement.Statement.Transformer = (statement) =>
    Effect.sync(() => {
      const [text] = statement.compile()
      if (/^\s*SELECT[^]*\bhash\b/.test(text)) lookups.push(text)
      return statement
    })
  return Statement.withTransformer(test(lookups), listen)
}

describeDatabases("authentication", ({ createMigrated: create, kind }) => {
  it("is one statement, whether its use is written or not", () => {
    const clock = makeHandClock(startMs)
    const test = (lookups: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const { key, projectId } = yield* issueKey
        for (const [at, ms] of [0, 1, 60_000].entries()) {
          clock.advance(ms)
          yield* authenticate(key)
          expect(lookups).toHaveLength(at + 1)
        }
        expect(yield* untilUsedAt(projectId, startMs + 60_001)).toBe(startMs + 60_001)
      })
    return run(
      Effect.flatMap(create, (place) => hearingLookups((lookups) => Effect.provide(test(lookups), layerTestStoresAt(place)))),
      clock
    )
  })

  it("of many at once answers each its own, and what is unknown is refused", () =>
    run(
      Effect.flatMap(create, (place) =>
        hearingLookups((lookups) =>
          Effect.gen(function* () {
            const issued = yield* Effect.forEach(Array.from({ length: 5 }), () => issueKey)
            const unknown = Redacted.make(
              Redacted.value(issued[0]?.key ?? Redacted.make("")).replace(/.$/, (last) => (last === "A" ? "B" : "A"))
            )
            const asked = [...issued, ...issued].map(({ key }) => authenticate(key))
            const [found, refused] = yield* Effect.all(
              [Effect.all(asked, { concurrency: "unbounded" }), Effect.either(authenticate(unknown))],
              { concurrency: "unbounded" }
            )
            expect(found.map(({ project }) => project.projectId)).toEqual([...issued, ...issued].map(({ projectId }) => projectId))
            expect(Either.isLeft(refused)).toBe(true)
            // PostgreSQL is asked once for all of a turn; SQLite is read on this thread.
            expect(lookups.length).toBeLessThanOrEqual(kind === "PostgreSQL" ? 2 : 11)
          }).pipe(Effect.provide(layerTestStoresAt(place)))
        )
      )
    ))

  it("is followed by the write even if the service closes at once", () => {
    const test = Effect.gen(function* () {
      const place = yield* create
      const used = Effect.tap(issueKey, ({ key }) => authenticate(key))
      const { projectId } = yield* Effect.provide(used, layerTestStoresAt(place))
      expect(yield* Effect.provide(lastUse(projectId), layerTestStoresAt(place))).toBe(startMs)
    })
    return run(test)
  })
})

describe("SQLite: the last use", () => {
  it("is written once a minute, however often a key is used, and by how many services", () => {
    const clock = makeHandClock(startMs)
    const countWrites = Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE writes (used_at_ms INTEGER)`
      yield* sql`
        CREATE TRIGGER counted AFTER UPDATE OF last_used_at_ms ON api_keys
        BEGIN INSERT INTO writes VALUES (NEW.last_used_at_ms); END`.unprepared
    })
    const test = Effect.gen(function* () {
      const place = yield* temporaryDatabase
      const [one, other] = [yield* Layer.build(layerTestStoresAt(place)), yield* Layer.build(layerTestStoresAt(place))]
      yield* Effect.provide(countWrites, one)
      const { key, projectId } = yield* Effect.provide(issueKey, one)
      for (const minute of [0, 1, 2]) {
        clock.advance(minute === 0 ? 0 : 60_000)
        for (let use = 0; use < 50; use += 1) yield* Effect.provide(authenticate(key), use % 2 === 0 ? one : other)
        const usedAtMs = startMs + minute * 60_000
        expect(yield* Effect.provide(untilUsedAt(projectId, usedAtMs), one)).toBe(usedAtMs)
      }
      // The other service has seen every use too; by now it has tried to write all of its own.
      yield* Effect.sleep(1_000)
      const written = yield* Effect.provide(
        Effect.flatMap(SqlClient, (sql) => sql<{ readonly used_at_ms: number }>`SELECT used_at_ms FROM writes`),
        one
      )
      expect(written.map((row) => row.used_at_ms)).toEqual([0, 60_000, 120_000].map((ms) => startMs + ms))
    })
    return run(test, clock)
  })

  it("does not fail authentication if the database refuses it, and is written later", () => {
    const clock = makeHandClock(startMs)
    const warnings: Array<unknown> = []
    const listen = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void warnings.push(message))
    )
    const test = Effect.gen(function* () {
      const sql = yield* SqlClient
      const { key, projectId } = yield* issueKey
      yield* sql`
        CREATE TRIGGER refused BEFORE UPDATE OF last_used_at_ms ON api_keys
        BEGIN SELECT RAISE(ABORT, 'no'); END`.unprepared
      yield* authenticate(key)
      for (let tries = 0; tries < 1_000 && warnings.length === 0; tries += 1) yield* Effect.sleep(10)
      expect(warnings).toEqual([["the last use of keys was not written"]])
      yield* authenticate(key)
      expect(yield* lastUse(projectId)).toBeNull()
      yield* sql`DROP TRIGGER refused`
      clock.advance(60_000)
      yield* authenticate(key)
      expect(yield* untilUsedAt(projectId, startMs + 60_000)).toBe(startMs + 60_000)
      expect(warnings.length).toBe(1)
    })
    const place = Effect.map(temporaryDatabase, (file) => Layer.provide(layerTestStoresAt(file), listen))
    return run(
      Effect.flatMap(place, (stores) => Effect.provide(test, stores)),
      clock
    )
  })
})
