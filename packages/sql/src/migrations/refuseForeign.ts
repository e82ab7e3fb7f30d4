/** Keeps away from the SQLite file of another application, which a misspelled path may lead to. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { SqlDefect } from "../database/sqlDefect.ts"

/** A migration that was cut off may have left nothing but this. */
const maybeAlone = "migrations"

/** Dies with a {@link SqlDefect} if the file has tables, and none that every database of Sibyl has. A database of PostgreSQL may be shared. */
export const refuseForeign: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => Effect.void,
    orElse: () =>
      Effect.flatMap(sql<{ readonly name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`, (tables) => {
        const names = tables.map(({ name }) => name).filter((name) => name !== maybeAlone && !name.startsWith("sqlite_"))
        const [first] = names
        return first === undefined || names.includes("service")
          ? Effect.void
          : Effect.die(new SqlDefect(`this is the database of another application: it has a table ${first}, and none of Sibyl`))
      })
  })
)
