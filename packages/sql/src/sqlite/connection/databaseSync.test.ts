/** Whose SQLite is used, by the version of the runtime, and that it opens files without a warning. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { databaseSyncClass, hasOwnSqlite } from "./databaseSync.ts"

it.each([
  [{ node: "20.20.2" }, false],
  [{ node: "22.23.3" }, false],
  [{ node: "24.21.0" }, true],
  [{ node: "26.10.0" }, true],
  [{ node: "22.6.0", bun: "1.2.0" }, true]
])("%o has its own: %s", (versions, isOwn) => {
  expect(hasOwnSqlite(versions)).toBe(isOwn)
})

it("is a SQLite on this runtime", async () => {
  const Database = await databaseSyncClass()
  const database = new Database(":memory:")
  expect(database.prepare("SELECT sqlite_version() AS version").all()[0]?.["version"]).toMatch(/^3\.\d+\.\d+$/)
  database.close()
})

it.skipIf(!hasOwnSqlite(process.versions))(
  "of which the runtime does not warn (skipped where it is the package's, which is no part of it)",
  async () => {
    const open = 'new (process.getBuiltinModule("node:sqlite").DatabaseSync)(":memory:").close()'
    const { stderr } = await promisify(execFile)(process.execPath, ["-e", open])
    expect(stderr).toBe("")
  }
)
