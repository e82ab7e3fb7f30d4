/** A copy of the whole database in one file. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { StoreUnavailable } from "@sibyl/core"
import { backUpSqlite, SqlDefect } from "@sibyl/sql"
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import { sqliteFileOf } from "../service/stores.ts"

const ofPostgres = "PostgreSQL is backed up by its own tools; the copy holds the signing key: (umask 077; pg_dump --file=FILE DATABASE)"

/** Copies the database of a configuration into a new file that only its owner can read. A server may be running. */
export const backUp = ({ database }: Configuration, wanted: string): Effect.Effect<Answer, CommandFailed> => {
  const source = sqliteFileOf(database)
  const file = resolve(wanted)
  if (source === undefined) return new CommandFailed({ message: ofPostgres })
  if (!existsSync(source)) return new CommandFailed({ message: `there is no database at ${source}` })
  return backUpSqlite(source, file).pipe(
    Effect.map((sizeBytes): Answer => ({
      document: { file, sizeBytes },
      lines: () => [`copied to ${file}, ${sizeBytes} bytes; it holds the signing key, and only its owner can read it`]
    })),
    Effect.catchAllDefect((defect) =>
      defect instanceof SqlDefect || defect instanceof StoreUnavailable
        ? new CommandFailed({ message: defect.message })
        : Effect.die(defect)
    )
  )
}
