/** Copies the embedded database, while a server is running or without one. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from "node:fs"
import { orSqlDefect } from "../database/sqlDefect.ts"
import { lostContent } from "./lostContent.ts"
import { putInPlace } from "./putInPlace.ts"
import { openSqlite } from "./sqliteClient.ts"
import { notMade } from "./whyNotMade.ts"

const ownerOnly = 0o600
const busyTimeoutMs = 5_000

const attempt = <A>(work: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({
    try: work,
    catch: (cause) => new SqlError({ cause, message: cause instanceof Error ? cause.message : String(cause) })
  })

const flush = (filename: string): void => {
  const file = openSync(filename, "r+")
  fsyncSync(file)
  closeSync(file)
}

const taken = (target: string): SqlError => new SqlError({ cause: undefined, message: `${target} is there already` })

/**
 * Copies a consistent state of the database at `filename` to `target`, and returns the copy's size in bytes. The copy contains the signing
 * key, so it is readable by its owner only, from its first byte on. It gets its name when it is complete and on disk; an existing file with
 * that name is not replaced. Failures are defects, as for the stores.
 */
export const backUpSqlite = (filename: string, target: string): Effect.Effect<number> => {
  const draft = `${target}.partial-${randomBytes(6).toString("hex")}`
  const copy = Effect.gen(function* () {
    const lost = lostContent(filename)
    if (lost !== undefined) return yield* new SqlError({ cause: undefined, message: lost })
    if (existsSync(target)) return yield* taken(target)
    yield* Effect.try({
      try: () => closeSync(openSync(draft, "wx", ownerOnly)),
      catch: (cause) => new SqlError({ cause, message: notMade(target, cause).message })
    })
    const { exec } = yield* openSqlite({ filename, busyTimeoutMs })
    yield* exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`)
    yield* attempt(() => flush(draft))
    return (yield* attempt(() => putInPlace(draft, target))) ? statSync(target).size : yield* taken(target)
  })
  return copy.pipe(
    Effect.scoped,
    Effect.ensuring(Effect.sync(() => rmSync(draft, { force: true }))),
    Effect.provide(Reactivity.layer),
    orSqlDefect("backing up the database")
  )
}
