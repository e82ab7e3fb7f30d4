/** A backup that is interrupted, by Ctrl-C or a supervisor: nothing is left of it, and no script takes it for one that was made. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { layerPostgresAsItIs, layerSqliteAsItIs } from "@sibyl/sql"
import { Effect, Redacted } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { freshPostgres } from "../testdata/freshPostgres.ts"
import { runSibyl } from "../testdata/runSibyl.ts"
import { plainEnvironment, sibylProgram } from "../testdata/startedServer.ts"

let folder = ""

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-interrupted-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** The exit code of a backup that gets `signal` while it copies, and what it has left. */
const interrupted = async (database: string, signal: NodeJS.Signals) => {
  const [runtime, bin] = sibylProgram()
  const child = spawn(runtime, [bin, "backup", "copy.backup", "--database", database], {
    cwd: folder,
    env: plainEnvironment,
    stdio: ["ignore", "ignore", "pipe"]
  })
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => {
    if (said === "") child.kill(signal)
    said += chunk.toString()
  })
  const [code] = (await once(child, "close")) as [number | null]
  const left = (await readdir(folder)).filter((name) => name.startsWith("copy"))
  return { code, left, began: said.startsWith("copying the database\n") }
}

const nothing = { code: 130, left: [], began: true }

test("of SQLite", async () => {
  const file = join(folder, "file.sqlite")
  await runSibyl(["org", "create", "acme", "--database", `sqlite:${file}`], { cwd: folder })
  const fill = (sql: SqlClient) =>
    Effect.zipRight(sql`CREATE TABLE filler (bytes BLOB)`, sql`INSERT INTO filler VALUES (zeroblob(${50_000_000}))`)
  await Effect.runPromise(Effect.provide(Effect.flatMap(SqlClient, fill), layerSqliteAsItIs({ filename: file })))
  expect(await interrupted(`sqlite:${file}`, "SIGINT")).toEqual(nothing)
})

test("of PostgreSQL", async () => {
  const { url } = await freshPostgres()
  await runSibyl(["org", "create", "acme", "--database", url], { cwd: folder })
  // The copy waits for this table, until the signal.
  const whileLocked = Effect.flatMap(SqlClient, (sql) =>
    sql.withTransaction(
      Effect.zipRight(
        sql`LOCK TABLE filler`,
        Effect.promise(() => interrupted(url, "SIGTERM"))
      )
    )
  )
  const outcome = Effect.flatMap(SqlClient, (sql) => Effect.zipRight(sql`CREATE TABLE filler (bytes bytea)`, whileLocked))
  expect(
    await Effect.runPromise(
      Effect.provide(outcome, layerPostgresAsItIs({ url: Redacted.make(`${url}?idle_in_transaction_session_timeout=0`) }))
    )
  ).toEqual(nothing)
})
