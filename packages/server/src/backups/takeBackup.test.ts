/** Databases of which there is no backup to be had: they are refused with the reason, and are as they were. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { layerPostgresAsItIs, layerSqliteAsItIs } from "@sibyl/sql"
import { Effect, Redacted } from "effect"
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

test("a database that a newer Sibyl has opened, before it is copied", async () => {
  const made = (name: string) => runSibyl(["org", "create", "acme"], { cwd: folder, env: { SIBYL_DATABASE: name } })
  const later = "INSERT INTO migrations (migration_id, name) VALUES (9999, 'later')"
  const refused = {
    code: 1,
    stderr: expect.stringMatching(/^sibyl: a newer Sibyl has opened this database \(schema 9999\): back it up with that one\n$/)
  }
  const file = join(folder, "file.sqlite")
  expect(await made(`sqlite:${file}`)).toMatchObject({ code: 0 })
  await changed(file, [later])
  expect(await backup(`sqlite:${file}`)).toMatchObject(refused)
  const { url } = await freshPostgres()
  expect(await made(url)).toMatchObject({ code: 0 })
  await Effect.runPromise(
    Effect.provide(
      Effect.flatMap(SqlClient, (sql) => sql.unsafe(later)),
      layerPostgresAsItIs({ url: Redacted.make(url), maxConnections: 1 })
    )
  )
  expect(await backup(url)).toMatchObject(refused)
})

test("a database of PostgreSQL in which nothing was stored", async () => {
  const { url } = await freshPostgres()
  const { code, stderr } = await backup(url)
  expect({ code, stderr }).toEqual({ code: 1, stderr: "sibyl: there is nothing of Sibyl in this database\n" })
  expect(readdirSync(folder)).toEqual([])
})
