/** The database file by command line: impossible places, an emptied file, a clean stop. */
import { existsSync, statSync } from "node:fs"
import { copyFile, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { ownRuntime } from "./crash/testdata/site.ts"
import { askSibyl, runSibyl, spawnSibyl } from "./testdata/runSibyl.ts"
import { StartedServer } from "./testdata/startedServer.ts"

let cwd: string
let running: Array<StartedServer>

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "sibyl-file-"))
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((server) => server.stop("SIGKILL")))
  await rm(cwd, { recursive: true, force: true })
})

const serve = async (): Promise<StartedServer> => {
  const server = new StartedServer(ownRuntime, ["serve", "--json", "--port", "0", "--set", "workers=1"], cwd)
  running.push(server)
  await server.until(/^\{"(?:url|executor)":.*\}$/m)
  return server
}

describe("sibyl serve", () => {
  test("reports at once that a file, or an impossible folder, is in the database's place", async () => {
    await writeFile(join(cwd, "file"), "")
    const places: ReadonlyArray<readonly [string, RegExp]> = [
      [join(cwd, "file"), /is a file, not a folder/],
      [join(cwd, "file", "below"), /is a file, not a folder/],
      ...(process.platform === "linux" ? [["/proc/x", /cannot make the folder \/proc\/x: .*\(ENOENT\)/] as const] : [])
    ]
    for (const [data, why] of places) {
      const { code, stderr } = await runSibyl(["serve", "--port", "0", "--data", data], { cwd })
      expect(code).toBe(1)
      expect(stderr).toMatch(why)
      expect(stderr.trim().split("\n")).toHaveLength(1)
    }
  })

  test("refuses an emptied file, as every command does, and leaves it unchanged", async () => {
    await askSibyl(["org", "create", "acme"], { cwd })
    const file = join(cwd, ".sibyl", "sibyl.sqlite")
    await truncate(file)
    for (const command of [
      ["serve", "--port", "0"],
      ["org", "list"],
      ["org", "create", "other"],
      ["backup", "copy"]
    ]) {
      const { code, stderr } = await runSibyl(command, { cwd })
      expect([code, statSync(file).size]).toEqual([1, 0])
      expect(stderr).toContain("is empty, which no database of Sibyl is")
    }
  })

  test("that stops cleanly leaves the whole database in one file", async () => {
    const server = await serve()
    // A process that exits releases the file, too.
    expect(await spawnSibyl(["org", "create", "acme"], { cwd })).toMatchObject({ code: 0 })
    expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    const file = join(cwd, ".sibyl", "sibyl.sqlite")
    const log = `${file}-wal`
    expect(existsSync(log) ? statSync(log).size : 0).toBe(0)
    await copyFile(file, join(cwd, "copy.sqlite"))
    const copy = await askSibyl(["org", "show", "acme", "--database", "sqlite:copy.sqlite"], { cwd })
    expect(copy).toMatchObject({ organizationSlug: "acme" })
  })
})

test("a command that fails leaves nothing beside the database", async () => {
  // The process that tests' commands share would keep the file open.
  await spawnSibyl(["org", "create", "acme"], { cwd })
  expect(await spawnSibyl(["org", "show", "other"], { cwd })).toMatchObject({ code: 1 })
  expect(await readdir(join(cwd, ".sibyl"))).toEqual(["sibyl.sqlite"])
})
