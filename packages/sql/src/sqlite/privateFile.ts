/** A database file that only its owner can read: it holds the signing key. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"

const ownerOnly = 0o600
const ownerOnlyFolder = 0o700

/** SQLite gives the files beside it the mode of the database file; those of an earlier run may be older than that. */
const besides = ["", "-wal", "-shm"]

/** Makes the file (and its folder) where it is missing and takes everyone else's rights away. */
export const makePrivateFile = (filename: string): Effect.Effect<void, SqlError> =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(filename), { recursive: true, mode: ownerOnlyFolder })
      closeSync(openSync(filename, "a", ownerOnly))
      for (const beside of besides) if (existsSync(filename + beside)) chmodSync(filename + beside, ownerOnly)
    },
    catch: (cause) => new SqlError({ cause, message: `cannot make ${filename} private` })
  })
