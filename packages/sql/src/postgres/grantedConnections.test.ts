/** A role that may have few connections: no more are asked for, and the log says so once. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Logger, Redacted } from "effect"
import { expect, it } from "vitest"
import { createDatabase, describePostgres } from "../fixtures/testDatabases.ts"
import { layerTestDatabase } from "../fixtures/testStores.ts"
import { grantedConnections } from "./grantedConnections.ts"
import { layerPostgres } from "./layerPostgres.ts"

/** The address of a database for a new role with a limit. */
const limited = (place: string, role: string, limit: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'few' CONNECTION LIMIT ${limit}`)
    yield* sql.unsafe(`GRANT ALL ON SCHEMA public TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`)
    const address = new URL(place)
    address.username = role
    address.password = "few"
    return Redacted.make(address.href)
  }).pipe(Effect.provide(layerTestDatabase(place)))

const slowly = Effect.flatMap(SqlClient, (sql) => sql`SELECT pg_sleep(0.02)`)

describePostgres("a role with a limit of connections", (server) => {
  it.each([
    [3, [expect.stringMatching(/^PostgreSQL grants this user 3 connections in all, fewer than the 8 that are configured/)]],
    [8, []]
  ])("of %i gets no refusal where 8 are configured", (limit, told) =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(server, (shared) => createDatabase(shared))
      const url = yield* limited(place, `few_${limit}`, limit)
      const lines: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void lines.push(String(message)))
      )
      const opened = Layer.provide(layerPostgres({ url, maxConnections: 8 }), logger)
      const work = Effect.all([grantedConnections, ...Array.from({ length: 24 }, () => slowly)], { concurrency: "unbounded" })
      const [granted] = yield* Effect.provide(work, opened)
      expect(granted).toBe(limit)
      expect(lines).toEqual(told)
    }).pipe(Effect.runPromise)
  )

  it("and one without, who is a superuser", () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(server, (shared) => createDatabase(shared))
      expect(yield* Effect.provide(grantedConnections, layerTestDatabase(place))).toBeUndefined()
    }).pipe(Effect.runPromise))
})
