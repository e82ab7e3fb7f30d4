/** Databases of which there is no backup to be had: they are refused with the reason, and are as they were. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { layerSqliteAsItIs } from "@sibyl/sql"
import { Effect } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { freshPostgres } from "../testdata/freshPostgres.ts"
import { runSibyl } from "../testdata/runSibyl.ts"

let folder = ""

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-refused-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const backup = (database: string) => runSibyl(["backup", "copy.backup"], { cwd: folder, env: { SIBYL_DATABASE: database } })

/** What is said of the file, which has the same bytes and no copy. */
const saidOfFile = async (file: string): Promise<string> => {
  const before = readFileSync(file)
  const { code, stderr } = await backup(`sqlite:${file}`)
  expect(code).toBe(1)
  expect(readdirSync(folder)).not.toContain("copy.backup")
  expect(readFileSync(file).equals(before)).toBe(true)
  return stderr
}

const changed = (filename: string, statements: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(SqlClient, (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement))),
      layerSqliteAsItIs({ filename })
    )
  )

test("the file of another application, one without tables, and one that has lost its content", async () => {
  const file = join(folder, "file.sqlite")
  await changed(file, ["CREATE TABLE notes (text TEXT)"])
  expect(await saidOfFile(file)).toContain("this is the database of another application: it has a table notes, and none of Sibyl")
  writeFileSync(file, "")
  expect(await saidOfFile(file)).toContain("is empty, which no database of Sibyl is")
  await rm(file)
  await changed(file, ["CREATE TABLE notes (text TEXT)", "DROP TABLE notes"])
  expect(await saidOfFile(file)).toContain("there is nothing of Sibyl in this database")
})

test("a database of PostgreSQL in which nothing was stored", async () => {
  const { url } = await freshPostgres()
  const { code, stderr } = await backup(url)
  expect({ code, stderr }).toEqual({ code: 1, stderr: "sibyl: there is nothing of Sibyl in this database\n" })
  expect(readdirSync(folder)).toEqual([])
})
