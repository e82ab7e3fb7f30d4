/** The version of what is configured in a SQLite file. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Freshness } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { layerSqlite } from "./layerSqlite.ts"

/** Commits of other connections are visible from the next turn of the event loop on. */
const nextTurn = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

const onFile = <A, E>(test: (filename: string) => Effect.Effect<A, E, SqlClient | Freshness>) =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(temporaryDatabase, (filename) => Effect.provide(test(filename), layerSqlite({ filename }))))
  )

const settings = Effect.flatMap(Freshness, (freshness) => Effect.sync(freshness.settings))

const key = "a1b2c3d4e5f6"

/** Statements, each of which changes what is configured. */
const changes = [
  "INSERT INTO organizations (organization_id, organization_slug) VALUES ('o', 'acme')",
  "UPDATE organizations SET name = 'Acme'",
  "INSERT INTO projects (project_id, organization_id, settings, created_at_ms) VALUES ('p', 'o', '{}', 0)",
  "UPDATE projects SET settings = '{\"limits\":{}}'",
  `INSERT INTO api_keys (api_key_id, project_id, hash, created_at_ms) VALUES ('${key}', 'p', 'hash', 0)`,
  "UPDATE api_keys SET revoked_at_ms = 1",
  "UPDATE api_keys SET expires_at_ms = 1",
  "DELETE FROM api_keys",
  "INSERT INTO programs (program_id, bytes, stored_at_ms) VALUES ('e1', x'00', 0)",
  "DELETE FROM programs",
  "INSERT INTO program_names (owner, name, change_number, program_id, since_ms) VALUES ('', 'a.b', 0, 'e1', 0)",
  "INSERT INTO data_proxies (public_key, name, fee_credits, active, registered_at_ms) VALUES ('02', 'proxy', '1', 1, 0)",
  "UPDATE data_proxies SET active = 0",
  "DELETE FROM data_proxies"
]

it("changes with every such change, by whichever connection it was made", () =>
  onFile((filename) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const other = yield* Effect.provide(SqlClient, yield* Layer.build(Layer.fresh(layerSqlite({ filename }))))
      const seen = new Set<unknown>([yield* settings])
      for (const [at, change] of changes.entries()) {
        yield* (at % 2 === 0 ? sql : other).unsafe(change)
        yield* nextTurn
        seen.add(yield* settings)
        expect(seen.size, change).toBe(at + 2)
      }
    }).pipe(Effect.scoped)
  ))

it("stays as it is while runs are charged and keys are used; that of a change that was rolled back never comes back", () =>
  onFile(() =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      for (const change of changes.slice(0, 5)) yield* sql.unsafe(change)
      const before = yield* settings
      expect(before).toBeTypeOf("string")
      yield* sql`UPDATE api_keys SET last_used_at_ms = 5`
      yield* sql`INSERT INTO accounts (project_id, granted, used, held, last_entry) VALUES ('p', '0', '0', '0', 0)`
      expect(yield* settings).toBe(before)
      const during = yield* sql
        .withTransaction(Effect.zipRight(sql`UPDATE projects SET settings = '{}'`, Effect.flatMap(settings, Effect.fail)))
        .pipe(Effect.flip)
      yield* nextTurn
      yield* sql`UPDATE projects SET settings = '{"gone":1}'`
      const after = yield* settings
      expect([after === before, after === during]).toEqual([false, false])
    })
  ))
