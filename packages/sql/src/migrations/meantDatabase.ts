/** Whether a database is the one that is meant, asked before anything of it is changed. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { refuseOtherNetwork } from "../database/networkOfDatabase.ts"
import { SqlDefect } from "../database/sqlDefect.ts"
import { schemaVersionOf } from "./migrate.ts"

/** Which database is meant. Any other is a `SqlDefect`, and stays as it is. */
export interface MeantDatabase {
  /** The name of its network, if it is one's already: another's is refused before its schema is brought up to date. */
  readonly network?: string | undefined
  /** Whether one that has nothing of Sibyl is refused; by default its tables are made. */
  readonly mustExist?: boolean | undefined
}

/** Refuses another database. Returns the version of the schema, 0 where there is nothing of Sibyl yet. */
export const refuseOtherDatabase = ({ mustExist = false, network }: MeantDatabase): Effect.Effect<number, SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    if (network !== undefined) yield* refuseOtherNetwork(sql, network)
    const version = yield* schemaVersionOf(sql)
    return version === 0 && mustExist ? yield* Effect.die(new SqlDefect("there is nothing of Sibyl in this database")) : version
  })
