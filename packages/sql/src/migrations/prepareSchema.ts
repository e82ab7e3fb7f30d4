/** Brings the schema of a database up to date, unless the database is another network's. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { migrate } from "./migrate.ts"
import { refuseOtherNetwork } from "../database/networkOfDatabase.ts"

/** Migrates a database; where its network is known beforehand, one of another network is a `SqlDefect` and stays as it is. */
export const prepareSchema = (network: string | undefined): Effect.Effect<void, SqlError, SqlClient> =>
  network === undefined ? migrate : Effect.flatMap(SqlClient, (sql) => Effect.zipRight(refuseOtherNetwork(sql, network), migrate))
