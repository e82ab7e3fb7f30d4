/** Brings the schema of a database up to date, unless the database is not the one that is meant. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { refuseOtherNetwork } from "../database/networkOfDatabase.ts"
import { SqlDefect } from "../database/sqlDefect.ts"
import { migrate, newestSchemaVersion, schemaVersionOf } from "./migrate.ts"

/** Which database is meant. What is not is a `SqlDefect`, and stays as it is. */
export interface MeantDatabase {
  /** The name of its network, where it is one's already. */
  readonly network?: string | undefined
  /** Whether it must have Sibyl's tables already; by default they are made. */
  readonly mustExist?: boolean | undefined
}

const refuseEmpty = Effect.die(new SqlDefect("there is nothing of Sibyl in this database"))

/** Migrates a database, and says so of one that had an older schema. */
export const prepareSchema = ({ mustExist = false, network }: MeantDatabase): Effect.Effect<void, SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    if (network !== undefined) yield* refuseOtherNetwork(sql, network)
    const version = yield* schemaVersionOf(sql)
    if (version === 0 && mustExist) return yield* refuseEmpty
    // It may take long, and no older Sibyl will open the database again.
    if (version > 0 && version < newestSchemaVersion) {
      yield* Effect.logInfo(`the database is brought from schema ${version} to schema ${newestSchemaVersion}`)
    }
    yield* migrate
  })
