/** Everything in a site's database, as text to search. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { readTables } from "./tables.ts"
import type { Site } from "./site.ts"

/** SQLite: the bytes of its files, log included; PostgreSQL: every row of every table as text. */
export const everyByte = async ({ database, folder, kind }: Site): Promise<ReadonlyArray<string>> =>
  kind === "SQLite"
    ? readdirSync(folder)
        .filter((name) => name.startsWith("sibyl.sqlite"))
        .map((name) => readFileSync(join(folder, name), "latin1"))
    : readTables(database, async (read) => {
        const tables = await read("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        const rows = await Promise.all(tables.map(({ tablename }) => read(`SELECT t::text AS row FROM "${String(tablename)}" t`)))
        return rows.flat().map(({ row }) => String(row))
      })
