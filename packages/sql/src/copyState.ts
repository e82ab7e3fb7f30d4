/** What a copy of a database is: what a backup says of it, and what must be found in it again. */
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { AskCopy } from "./sqlite/backUp.ts"

/** The state of a copy. */
export interface CopyState {
  /** The number of its last migration. */
  readonly schemaVersion: number
  readonly network: string
  readonly hasSigningKey: boolean
  /** Rows by table. */
  readonly counts: { readonly projects: number; readonly entries: number; readonly reports: number; readonly programs: number }
}

/** The state, in a few queries of one snapshot. */
export const copyStateOf = (ask: AskCopy): Effect.Effect<CopyState, SqlError> => {
  const one = (query: string) => Effect.map(ask(query), ([row]) => row?.["found"])
  const count = (table: string) => Effect.map(one(`SELECT COUNT(*) AS found FROM ${table}`), Number)
  return Effect.gen(function* () {
    return {
      schemaVersion: Number(yield* one("SELECT MAX(migration_id) AS found FROM migrations")),
      network: String(yield* one("SELECT value AS found FROM service WHERE name = 'network'")),
      hasSigningKey: (yield* count("signing_keys")) > 0,
      counts: {
        projects: yield* count("projects"),
        entries: yield* count("journal"),
        reports: yield* count("reports"),
        programs: yield* count("programs")
      }
    }
  })
}
