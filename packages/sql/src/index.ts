/** The stores of Sibyl on SQL, and the embedded SQLite database. */

// The stores over a database, and its signing key.
export { layerSqlStores, type SqlStores } from "./layerSqlStores.ts"
export { layerPostgres, type PostgresOptions } from "./postgres/layerPostgres.ts"
export { layerSqlSigner, signingSecret } from "./signingKey.ts"
export { layerSqlite, type SqliteOptions } from "./sqlite/layerSqlite.ts"
export { SqlDefect } from "./database/sqlDefect.ts"

// Operation: the state of a database, its schema, its copies, and damage.
export { damagesOfDatabase, type DatabaseState, inspectDatabase, layerPostgresAsItIs, layerSqliteAsItIs } from "./inspectDatabase.ts"
export { migrate } from "./migrations/migrate.ts"
export { backUpSqlite } from "./sqlite/backUp.ts"
export { lostContent } from "./sqlite/lostContent.ts"
export { makeFolder } from "./sqlite/makeFolder.ts"

// Servers of several processes: one of them writes to a SQLite file for all.
export { shareSqliteWriter } from "./sqlite/layerSqlite.ts"
export type {
  Answers,
  Fault,
  Message,
  Order,
  Outcome,
  ProcedureOrder,
  StatementOrder,
  Task,
  TransactionOrder,
  WriterSettings
} from "./sqlite/writer/messages.ts"
export type { SharedWriter, SharedWriterClient } from "./sqlite/writer/sharedWriter.ts"
export type { ConnectWriter, WriterLink, WriterListener } from "./sqlite/writer/writerLink.ts"
