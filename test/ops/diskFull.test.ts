/** A server whose disk is full: what it answers, and that it goes on once there is space again. */
import { chmod, mkdir, mkdtemp, rm, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startContained, whyNotContained } from "./readOnlyRoot.ts"
import { servedDocument } from "./servedDocument.ts"

const bin = fileURLToPath(new URL("../../packages/server/bin/sibyl.js", import.meta.url))

/** The file system of 8 MiB is the server's alone: files in it are reached through its process. */
const diskBytes = 8 * 1_048_576

const Served = Schema.parseJson(Schema.Struct({ url: Schema.String, demo: Schema.Struct({ cryptoPriceId: Schema.String }) }))

describe.skipIf(whyNotContained !== undefined)(
  whyNotContained === undefined ? "a server on a full disk" : `a server on a full disk (skipped: ${whyNotContained})`,
  () => {
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "sibyl-full-"))
      await chmod(folder, 0o755)
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    test("lives, says that it is not ready, refuses with 503, and goes on as soon as there is space", async () => {
      const data = join(folder, "data")
      await mkdir(data)
      const args = ["serve", "--demo", "--json", "--port", "0", "--workers", "1"]
      const child = startContained(data, [process.execPath, bin, ...args], { SIBYL_DATA: data }, diskBytes)
      const ended = new Promise((resolve) => child.once("exit", resolve))
      try {
        const { demo, url } = Schema.decodeUnknownSync(Served)(await servedDocument(child))
        const inside = (name: string) => `/proc/${child.pid}/root${join(data, name)}`
        const authorization = `Bearer ${(await readFile(inside("demo-key"), "utf8")).trim()}`
        const statusOf = async (path: string) => (await fetch(url + path)).status
        const execute = () =>
          fetch(`${url}/execute?${new URLSearchParams({ execProgramId: demo.cryptoPriceId, execInputs: String(Math.random()) })}`, {
            headers: { authorization }
          }).then(({ status }) => status)
        expect(await statusOf("/ready")).toBe(200)
        // The log of a file is larger than this disk, where there is space for it.
        for (let run = 0; run < 400; run += 1) expect(await execute()).toBe(599)
        expect(await statusOf("/ready")).toBe(200)
        await writeFile(inside("filler"), Buffer.alloc(2 * diskBytes)).catch(() => undefined)
        await expect.poll(() => statusOf("/ready"), { timeout: 30_000 }).toBe(503)
        expect(await statusOf("/health")).toBe(200)
        // A run whose credits were set aside before starts, and waits for space; one that needs a hold is refused.
        const during = [execute(), execute()]
        await rm(inside("filler"))
        await expect.poll(() => statusOf("/ready"), { timeout: 30_000 }).toBe(200)
        // The inputs are none that the program takes: 599 is its answer.
        expect([503, 599]).toEqual(expect.arrayContaining(await Promise.all(during)))
        expect(await execute()).toBe(599)
        child.kill("SIGTERM")
        expect(await ended).toBe(0)
      } finally {
        child.kill("SIGKILL")
      }
    })
  }
)
