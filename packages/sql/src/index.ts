/** The stores of Sibyl on SQL, and the embedded SQLite database. */

// The stores over a database, and the signing key that lies in it.
export { layerSqlStores, type SqlStores } from "./layerSqlStores.ts"
export { layerPostgres, type PostgresOptions } from "./postgres/layerPostgres.ts"
export { layerSqlSigner, signingSecret } from "./signingKey.ts"
export { layerSqlite, type SqliteOptions } from "./sqlite/layerSqlite.ts"
export { SqlDefect } from "./database/sqlDefect.ts"

// Operation: a database as it is, its schema, its copies, and what was found lost or damaged.
export { damagesOfDatabase, type DatabaseState, inspectDatabase, layerPostgresAsItIs, layerSqliteAsItIs } from "./inspectDatabase.ts"
export { migrate } from "./migrations/migrate.ts"
export { backUpSqlite } from "./sqlite/backUp.ts"
export { lostContent } from "./sqlite/lostContent.ts"
export { makeFolder } from "./sqlite/makeFolder.ts"
