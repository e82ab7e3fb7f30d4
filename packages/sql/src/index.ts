/** The stores of Sibyl on SQL, and the embedded SQLite database. */
export * from "./layerSqlStores.ts"
export * from "./migrations/migrate.ts"
export * from "./postgres/layerPostgres.ts"
export * from "./signingKey.ts"
export { SqlDefect } from "./sqlDefect.ts"
export * from "./sqlite/layerSqlite.ts"
