/** Opens the stores of a configuration for one command, beside a running server or without one. */
import { statSync } from "node:fs"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Entropy, layerAuditedStores, Network, StoreUnavailable } from "@sibyl/core"
import { layerSqlStores, SqlDefect, type SqlStores } from "@sibyl/sql"
import { Cause, Effect, Exit, Layer } from "effect"
import { operator } from "../service/operator.ts"
import { layerUsageLimitCheck } from "../service/usageLimitCheck.ts"
import type { Configuration } from "../config/configuration.ts"
import { CommandFailed } from "../output/failure.ts"
import { layerDatabase, layerStores, sqliteFileOf } from "../service/stores.ts"

/** A database error is the operator's to fix, so it becomes one line without a stack. Other defects stay defects. */
const orCommandFailed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | CommandFailed, R> =>
  Effect.flatMap(Effect.exit(effect), (exit): Effect.Effect<A, E | CommandFailed> => {
    const defects = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
    const defect = defects.find((one) => one instanceof SqlDefect || one instanceof StoreUnavailable)
    return defect === undefined ? exit : Effect.fail(new CommandFailed({ message: defect.message }))
  })

/** Of a file that is in a folder which may not be entered, opening it says so. */
const isAbsent = (file: string): boolean => {
  try {
    statSync(file)
    return false
  } catch (cause) {
    return cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")
  }
}

/** The SQLite file of the configuration, if it does not exist yet; `undefined` if it exists, and for PostgreSQL. */
export const missingFile = ({ database }: Configuration): string | undefined => {
  const file = sqliteFileOf(database)
  return file !== undefined && isAbsent(file) ? file : undefined
}

const missing = (file: string) =>
  new CommandFailed({ message: `there is no database at ${file}; sibyl serve, org create, project create and deploy make one` })

/** Runs `work` on the database itself, migrated and of the configured network. A missing or empty one is an error, unless the command may create it. */
export const withDatabase = <A, E>(
  configuration: Configuration,
  makes: boolean,
  work: Effect.Effect<A, E, SqlClient | Entropy>
): Effect.Effect<A, E | CommandFailed> => {
  const file = missingFile(configuration)
  if (file !== undefined && !makes) return missing(file)
  const { database: address, service } = configuration
  const database = Layer.provideMerge(
    Layer.provide(layerSqlStores, Network.layer(service.network)),
    Layer.merge(layerDatabase({ address, connections: 2, network: service.network.name, mustExist: !makes }), Entropy.layer)
  )
  return orCommandFailed(Effect.provide(work, database))
}

/** Runs `work` on the stores. A missing or empty database is an error, unless the command may create it (`makes`). */
export const withStores = <A, E>(
  configuration: Configuration,
  makes: boolean,
  work: Effect.Effect<A, E, SqlStores>
): Effect.Effect<A, E | CommandFailed> => {
  const file = missingFile(configuration)
  if (file !== undefined && !makes) return missing(file)
  const { database: address, service, tariff } = configuration
  // A command runs its statements sequentially, so few connections are enough.
  const stores = layerUsageLimitCheck(tariff).pipe(
    Layer.provideMerge(layerAuditedStores(operator())),
    Layer.provideMerge(layerStores({ address, connections: 2, mustExist: !makes }, service.network))
  )
  return orCommandFailed(Effect.provide(work, stores))
}
