/** What commands do with a PostgreSQL that has nothing of Sibyl: those that would make a missing file make its tables, the others refuse it. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspectDatabase, layerPostgresAsItIs } from "@sibyl/sql"
import { Effect, Redacted } from "effect"
import { expect, test } from "vitest"
import { freshPostgres } from "../testdata/freshPostgres.ts"
import { runSibyl } from "../testdata/runSibyl.ts"

test("an empty PostgreSQL stays empty until a command makes something", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "sibyl-stores-"))
  const { url } = await freshPostgres()
  const asItIs = layerPostgresAsItIs({ url: Redacted.make(url) })
  const said = (...words: ReadonlyArray<string>) => runSibyl([...words, "--database", url], { cwd })
  for (const words of [
    ["org", "list"],
    ["proxy", "list"],
    ["signing-key", "show"]
  ]) {
    expect(await said(...words)).toEqual({ code: 1, stdout: "", stderr: "sibyl: there is nothing of Sibyl in this database\n" })
  }
  expect(await Effect.runPromise(Effect.provide(inspectDatabase, asItIs))).toMatchObject({ schemaVersion: 0 })
  expect(await said("org", "create", "acme")).toMatchObject({ code: 0, stderr: "" })
  expect(await said("org", "list")).toMatchObject({ code: 0, stderr: "" })
  await rm(cwd, { recursive: true })
})
