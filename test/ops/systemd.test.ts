/** The units for systemd: that they are well formed, harden what they start, and agree with the server's settings. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const units = ["sibyl.service", "sibyl-executor.service"]
const textOf = (name: string): string => readFileSync(join(root, "ops/systemd", name), "utf8")

const whyNoSystemd =
  spawnSync("systemd-analyze", ["--version"]).status === 0 ? undefined : "no systemd is installed: systemd-analyze was not found"

describe.skipIf(whyNoSystemd !== undefined)(whyNoSystemd === undefined ? "the units" : `the units (skipped: ${whyNoSystemd})`, () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "sibyl-units-"))
    // systemd looks for the program, which is installed elsewhere.
    for (const name of units) writeFileSync(join(folder, name), textOf(name).replace("/opt/sibyl/bin/sibyl", process.execPath))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each(units)("%s is understood to the last line", (name) => {
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", join(folder, name)], {
      encoding: "utf8"
    })
    expect({ status, about: stderr.split("\n").filter((line) => line.includes(name)) }).toEqual({ status: 0, about: [] })
  })

  test.each(units)("%s exposes little: 2.0 of 10 at most", (name) => {
    expect(spawnSync("systemd-analyze", ["security", "--offline=true", "--threshold=20", join(folder, name)]).status).toBe(0)
    const bare = join(folder, "bare.service")
    writeFileSync(bare, `[Service]\nExecStart=${process.execPath}\n`)
    expect(spawnSync("systemd-analyze", ["security", "--offline=true", "--threshold=20", bare]).status).not.toBe(0)
  })
})

describe("the examples of their settings", () => {
  test.each(["sibyl.env.example", "executor.env.example"])("%s has only settings that the server knows, commented out or not", (name) => {
    const lines = textOf(name).split("\n")
    const given = lines.flatMap((line) => /^#?(SIBYL_[A-Z_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? [])
    const env: Record<string, string | undefined> = { PATH: process.env["PATH"] }
    for (let at = 0; at < given.length; at += 2) {
      const [setting = "", value = ""] = given.slice(at, at + 2)
      // A file that is there only where the service runs, and secrets that the operator fills in.
      env[setting] = setting.endsWith("_FILE") ? "/dev/null" : value === "" ? "x" : value
    }
    delete env["SIBYL_DATABASE_FILE"]
    const folder = mkdtempSync(join(tmpdir(), "sibyl-env-"))
    try {
      const said = execFileSync(process.execPath, [join(root, "packages/server/bin/sibyl.js"), "config", "--json"], {
        cwd: folder,
        env,
        encoding: "utf8"
      })
      expect(said).toContain("cluster.user")
      expect(given.length).toBeGreaterThan(4)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
