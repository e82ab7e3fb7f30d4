/** A process that embeds Sibyl ends by itself once that is closed, or could not be opened. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "sibyl-ends-"))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const script = fileURLToPath(new URL("testdata/openAndEnd.mjs", import.meta.url))

/** The exit code of a process that ends by itself, unless something stays open. */
const exitOf = async (way: "failed" | "logged"): Promise<unknown> => {
  const child = spawn(process.execPath, [script, way, join(folder, `${way}.sqlite`)], { stdio: ["ignore", "ignore", "inherit"] })
  const [code] = (await once(child, "exit")) as [number | null]
  return code
}

describe("a process that embeds Sibyl", () => {
  it("ends after an opening that failed behind the stores", async () => {
    expect(await exitOf("failed")).toBe(0)
  })

  it("ends after closing, with a log of requests too", async () => {
    expect(await exitOf("logged")).toBe(0)
  })
})
