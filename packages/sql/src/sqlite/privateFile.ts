/** A database file that only its owner can read, because it holds the signing key. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { chmodSync, closeSync, existsSync, openSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSyncClass } from "./connection/databaseSync.ts"
import { loadDatabaseSync } from "./connection/loadDatabaseSync.ts"
import { foundAt } from "./foundAt.ts"
import { lostContent } from "./lostContent.ts"
import { makeFolder } from "./makeFolder.ts"
import { putInPlace } from "./putInPlace.ts"
import { notMade } from "./fileFault.ts"

const ownerOnly = 0o600
const ofOthers = 0o077

/** SQLite gives the files beside it the mode of the database file; those of an earlier run may be older than its current mode. */
const besides = ["", "-wal", "-shm"]

/** A new database gets its name once it has its first page, so that an empty file is never a new database. */
const makeDatabase = (Database: DatabaseSyncClass, filename: string): void => {
  const draft = `${filename}.new-${randomBytes(6).toString("hex")}`
  try {
    closeSync(openSync(draft, "wx", ownerOnly))
  } catch (cause) {
    throw notMade(`the database ${filename}`, cause)
  }
  try {
    const database = new Database(draft)
    try {
      database.exec("PRAGMA journal_mode = WAL")
    } finally {
      database.close()
    }
    // Another process may have made the same file first.
    putInPlace(draft, filename)
  } finally {
    for (const beside of besides) rmSync(draft + beside, { force: true })
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const attempted = (work: () => void): Effect.Effect<void, SqlError> =>
  Effect.try({ try: work, catch: (cause) => new SqlError({ cause, message: messageOf(cause) }) })

/** Creates the file (and its folder) if it is missing, unless it has lost its content. */
export const makePrivateFile = (filename: string): Effect.Effect<void, SqlError> =>
  Effect.flatMap(loadDatabaseSync, (Database) =>
    attempted(() => {
      const lost = lostContent(filename)
      if (lost !== undefined) throw new Error(lost)
      makeFolder(dirname(filename))
      if (!existsSync(filename)) makeDatabase(Database, filename)
    })
  )

/** Removes all rights of other users from a file that is known to be a database of Sibyl: of any other file they are not ours to take. */
export const keepPrivate = (filename: string): Effect.Effect<void, SqlError> =>
  attempted(() => {
    for (const path of besides.map((beside) => filename + beside)) {
      if (((foundAt(path)?.mode ?? 0) & ofOthers) === 0) continue
      try {
        chmodSync(path, ownerOnly)
      } catch (cause) {
        throw notMade(`${path} readable by its owner only`, cause)
      }
    }
  })
