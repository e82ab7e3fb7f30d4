/** A key that is announced and whose secret is elsewhere: it is exported, missed after a restore, and never activated without its secret. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runSibyl } from "../testdata/runSibyl.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sibyl-announced-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fileOf = (name: string): string => join(folder, name)

/** A command on the database of this name. */
const sibyl = (name: string, ...words: ReadonlyArray<string>) => runSibyl([...words, "--data", fileOf(name)], { cwd: folder })

const keysOf = async (name: string) => {
  const { stdout } = await sibyl(name, "signing-key", "show", "--json")
  return (
    JSON.parse(stdout) as {
      readonly keys: ReadonlyArray<{ readonly publicKey: string; readonly state: string; readonly hasSecret: boolean }>
    }
  ).keys
}

const doctorOf = async (name: string) => {
  const { stdout } = await sibyl(name, "doctor", "--json", "--port", "0")
  const { checks } = JSON.parse(stdout) as {
    readonly checks: ReadonlyArray<{ readonly check: string; readonly status: string; readonly message: string }>
  }
  return checks.find(({ check }) => check === "signing key")
}

test("its secret is asked for before it may sign", async () => {
  expect(await sibyl("first", "project", "create", "--org", "acme")).toMatchObject({ code: 0 })
  expect(await sibyl("first", "signing-key", "announce")).toMatchObject({ code: 0 })
  const next = (await keysOf("first")).find(({ state }) => state === "announced")?.publicKey ?? ""
  expect(next).toMatch(/^0[23]/)
  // Without a key, the one that signs now is exported; whoever rotates must hear that it is not the next one.
  const exported = await sibyl("first", "signing-key", "export", fileOf("present.key"))
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining(`${next} is announced: export it, too, with --key`) })
  expect((await sibyl("first", "signing-key", "export", fileOf("next.key"), "--key", next)).stdout).not.toContain("export it, too")
  expect(readFileSync(fileOf("next.key"), "utf8")).not.toBe(readFileSync(fileOf("present.key"), "utf8"))
  expect(await sibyl("first", "backup", fileOf("announced.backup"))).toMatchObject({ code: 0 })

  expect(await sibyl("second", "restore", fileOf("announced.backup"))).toMatchObject({ code: 0 })
  const imported = await sibyl("second", "signing-key", "import", fileOf("present.key"))
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining(`that of ${next}, which is announced, is not`) })
  expect(await doctorOf("second")).toMatchObject({
    status: "warning",
    message: expect.stringContaining(`${next} is announced: import its secret`)
  })
  expect(await sibyl("second", "signing-key", "activate", "--in", "30s")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`the secret of ${next}, which is announced, is not here`)
  })
  expect((await keysOf("second")).map(({ state }) => state)).toEqual(["active", "announced"])
  expect(await sibyl("second", "signing-key", "import", fileOf("next.key"))).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining("is not")
  })
  expect(await doctorOf("second")).toMatchObject({ status: "ok" })
  expect(await sibyl("second", "signing-key", "activate", "--in", "1h")).toMatchObject({ code: 0 })
  expect(await sibyl("second", "backup", fileOf("scheduled.backup"))).toMatchObject({ code: 0 })

  expect(await sibyl("third", "restore", fileOf("scheduled.backup"))).toMatchObject({ code: 0 })
  expect(await sibyl("third", "signing-key", "import", fileOf("present.key"))).toMatchObject({ code: 0 })
  expect(await doctorOf("third")).toMatchObject({
    status: "failed",
    message: expect.stringMatching(`^${next} signs from .* on: import its secret`)
  })
})
