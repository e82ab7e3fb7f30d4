/** Whether the database accepts changes now. */
import { SqlClient } from "@effect/sql/SqlClient"
import { metricList, Metrics, StoreCheck } from "@sibyl/core"
import { Effect, Layer, type Scope } from "effect"
import { orSqlDefect } from "./database/sqlDefect.ts"
import { freeBytes } from "./sqlite/connection/freeBytes.ts"
import { checkFreeSpace } from "./sqlite/freeSpace.ts"

/** The file of a SQLite client; empty for one in memory and for other databases. */
const fileOf = (sql: SqlClient): Effect.Effect<string> =>
  sql.onDialectOrElse({
    sqlite: () =>
      sql<{ readonly file: string }>`SELECT file FROM pragma_database_list WHERE name = 'main'`.pipe(
        Effect.map(([main]) => main?.file ?? ""),
        orSqlDefect("looking for the file of the database")
      ),
    orElse: () => Effect.succeed("")
  })

/** Shows how much is free for as long as the scope lives. */
const measureFreeSpace = (file: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Metrics, ({ read }) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => read(metricList.diskFree, () => freeBytes(file))),
        (end) => Effect.sync(end)
      )
    )
  )

/**
 * A change of no row: it needs the same lock and the same rights as any other change, but changes nothing. It does not need space either,
 * which is asked for beside it where the disk is this machine's.
 */
export const layerSqlStoreCheck: Layer.Layer<StoreCheck, never, SqlClient> = Layer.scoped(
  StoreCheck,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const file = yield* fileOf(sql)
    if (file !== "") yield* measureFreeSpace(file)
    const change = sql`UPDATE service SET value = value WHERE name = ''`.pipe(Effect.asVoid, orSqlDefect("checking the database"))
    return { check: file === "" ? change : Effect.zipRight(checkFreeSpace(file), change) }
  })
)
