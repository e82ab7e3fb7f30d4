/** Moves what the log of a SQLite file has into the file, which is then complete alone. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { loadDatabaseSync } from "./connection/loadDatabaseSync.ts"

/** Of a file that nobody else uses. An empty log may stay where the driver keeps its last connection open; it is removed. */
export const foldSqliteLog = (filename: string): Effect.Effect<void, SqlError> =>
  Effect.flatMap(loadDatabaseSync, (Database) =>
    Effect.try({
      try: () => {
        const database = new Database(filename)
        try {
          const [row] = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()
          if (Number(row?.["busy"]) !== 0) throw new Error(`${filename} is in use`)
        } finally {
          database.close()
        }
        for (const end of ["-wal", "-shm"]) rmSync(filename + end, { force: true })
      },
      catch: (cause) => new SqlError({ cause, message: cause instanceof Error ? cause.message : String(cause) })
    })
  )
