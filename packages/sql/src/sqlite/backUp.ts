/** Copies the embedded database, while a server is running or without one. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { loadDatabaseSync } from "./connection/loadDatabaseSync.ts"
import { draftFile } from "./draftFile.ts"
import { namingFile } from "./fileFault.ts"
import { lostContent } from "./lostContent.ts"
import { openSqlite } from "./sqliteClient.ts"

const busyTimeoutMs = 5_000

/** Asks the copy one query. */
export type AskCopy = (query: string) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError>

/** What becomes of the copy before it gets its name. */
export interface BackUpOptions<E> {
  /** Whether the copy has the secrets of the signing keys. */
  readonly withSecrets: boolean
  /** Called when the copy begins: the file and its target have been looked at. Default: nothing. */
  readonly begin?: () => void
  /** Looks at the copy, once its secrets are gone where they are to be. Default: nothing. */
  readonly inspect?: (ask: AskCopy) => Effect.Effect<void, E | SqlError>
  /** Completes the draft, whose path is given. Default: nothing. */
  readonly finish?: (draft: string) => Effect.Effect<void, E>
}

const attempt = <A>(work: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({ try: work, catch: (cause) => new SqlError({ cause, message: cause instanceof Error ? cause.message : String(cause) }) })

/** Works on a copy that nobody else has open. Its journal stays in memory, so that no other file ever has a secret. */
const onCopy = <E>(draft: string, { inspect, withSecrets }: BackUpOptions<E>): Effect.Effect<void, E | SqlError> =>
  Effect.flatMap(loadDatabaseSync, (Database) =>
    Effect.acquireUseRelease(
      attempt(() => new Database(draft)),
      (database) =>
        Effect.gen(function* () {
          yield* attempt(() => {
            database.exec("PRAGMA journal_mode = MEMORY")
            // Overwrites what it deletes.
            if (!withSecrets) database.exec("PRAGMA secure_delete = ON; DELETE FROM signing_keys")
          })
          if (inspect !== undefined) {
            yield* inspect((query) => attempt(() => database.prepare(query).all() as ReadonlyArray<Readonly<Record<string, unknown>>>))
          }
        }),
      (database) => Effect.sync(() => database.close())
    )
  )

/**
 * Copies a consistent state of the database at `filename` to `target`, and returns the size of the new file in bytes. It is readable by its
 * owner only, from its first byte on, gets its name when it is complete and on disk, and replaces no file. A server that writes is not held
 * up: the copy is one read transaction.
 */
export const backUpSqlite = <E = never>(
  filename: string,
  target: string,
  options: BackUpOptions<E>
): Effect.Effect<number, E | SqlError> => {
  const fill = (draft: string) =>
    Effect.gen(function* () {
      const copied = Effect.flatMap(openSqlite({ filename, busyTimeoutMs }), ({ exec }) =>
        exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`)
      )
      options.begin?.()
      yield* Effect.mapError(Effect.scoped(copied), namingFile(filename))
      yield* onCopy(draft, options)
      if (options.finish !== undefined) yield* options.finish(draft)
    })
  const lost = Effect.suspend(() => {
    const message = lostContent(filename)
    return message === undefined ? Effect.void : new SqlError({ cause: undefined, message })
  })
  return Effect.provide(Effect.zipRight(lost, draftFile(target, fill)), Reactivity.layer)
}
