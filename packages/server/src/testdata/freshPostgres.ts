/** A new, empty database in the PostgreSQL server that the tests of a process share. */
import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql/SqlClient"
import { layerPostgresAsItIs } from "@sibyl/sql"
import { sharedPostgres } from "@sibyl/testing"
import { Effect, Redacted } from "effect"

/** Its address. */
export interface FreshDatabase {
  /** The address, including the password. */
  readonly url: string
  readonly password: string
}

/** Creates one. It is removed with the server. */
export const freshPostgres = (): Promise<FreshDatabase> =>
  Effect.gen(function* () {
    const { password, url } = yield* sharedPostgres
    const name = `test_${randomUUID().replaceAll("-", "")}`
    const made = Effect.flatMap(SqlClient, (sql) => sql`CREATE DATABASE ${sql(name)}`)
    yield* Effect.provide(made, layerPostgresAsItIs({ url: Redacted.make(url("postgres")) }))
    return { url: url(name), password }
  }).pipe(Effect.runPromise)
