/** The stores of Sibyl on SQL, and the embedded SQLite database. */
export * from "./inspectDatabase.ts"
export * from "./layerSqlStores.ts"
export { migrate } from "./migrations/migrate.ts"
export { layerPostgres, type PostgresOptions } from "./postgres/layerPostgres.ts"
export * from "./signingKey.ts"
export { SqlDefect } from "./sqlDefect.ts"
export * from "./sqlite/layerSqlite.ts"
