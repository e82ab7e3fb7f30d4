/** The stores of Sibyl on SQL, and the embedded SQLite database. */

// The stores over a database, and its signing key.
export { layerSqlStores, type SqlStores } from "./layerSqlStores.ts"
export { layerPostgres, type PostgresOptions } from "./postgres/layerPostgres.ts"
export { postgresAddressFault } from "./postgres/postgresAddress.ts"
export { layerSqlSigner, signingSecret } from "./sqlSigner.ts"
export { layerSqlite, type SqliteOptions } from "./sqlite/layerSqlite.ts"
export { SqlDefect } from "./database/sqlDefect.ts"

// The signing keys, as an operator looks at them and changes them.
export {
  activateSigningKey,
  announceSigningKey,
  importSigningKey,
  comingWithoutSecret,
  keysWithSecrets,
  listSigningKeys,
  retireSigningKey,
  secretOfKey,
  signingKeys
} from "./signingKeys/storedKeys.ts"

// What operators changed.
export { layerSqlAuditTrail } from "./registry/sqlAuditTrail.ts"

// Operation: the state of a database, its schema, its copies, and damage.
export { differenceOfClocks } from "./database/databaseTime.ts"
export { defaultConnections, leastConnections } from "./postgres/connectionCounts.ts"
export { grantedConnections } from "./postgres/grantedConnections.ts"
export { damagesOfDatabase, type DatabaseState, inspectDatabase, layerPostgresAsItIs, layerSqliteAsItIs } from "./inspectDatabase.ts"
export { auditBooks, type BooksAudit, type BooksOptions } from "./books/auditBooks.ts"
export { auditLedger } from "./books/auditLedger.ts"
export type { BookedReport, JournalLine, KeptBeside, LedgerTables, StoredAccount, StoredHold } from "./books/ledgerTables.ts"
export type { RecoverKey } from "./books/reportCheck.ts"
export { settleCopy } from "./settleCopy.ts"
export { migrate, newestSchemaVersion } from "./migrations/migrate.ts"
export { type MeantDatabase, refuseOtherDatabase } from "./migrations/meantDatabase.ts"
export { type AskCopy, backUpSqlite, type BackUpOptions } from "./sqlite/backUp.ts"
export { draftFile } from "./sqlite/draftFile.ts"
export { foldSqliteLog } from "./sqlite/foldLog.ts"
export { type CopyState, copyStateOf } from "./copyState.ts"
export { foundAt } from "./sqlite/foundAt.ts"
export { freeBytes } from "./sqlite/connection/freeBytes.ts"
export { leastFreeBytes } from "./sqlite/freeSpace.ts"
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
