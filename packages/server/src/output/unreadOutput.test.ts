/** The command line whose output nobody reads any more, on both runtimes. */
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { runtimeBinary, type RuntimeName, StartedServer } from "../testdata/startedServer.ts"

const shell = promisify(execFile)
const runtimes: ReadonlyArray<RuntimeName> = ["node", "bun"]
const fileOf = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-unread-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each(runtimes)("on %s", (runtime) => {
  test("a server goes on, and ends properly, after the reader of its log has ended", async () => {
    const args = ["serve", "--port", "0", "--json", "--database", `sqlite:${join(folder, `${runtime}.sqlite`)}`]
    const server = new StartedServer(runtime, args, folder, { SIBYL_LOG_LEVEL: "debug" })
    try {
      const [, url] = await server.until(/"url": ?"(http:[^"]+)"/)
      server.stopReading()
      // Each is a line of the log.
      for (let asked = 0; asked < 20; asked += 1) {
        expect((await fetch(`${url}/info`)).status).toBe(200)
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    } finally {
      await server.stop("SIGKILL")
    }
  })

  test.each(["packages/server/bin/sibyl.js --help", "packages/testing/bin/sibyl-conform.js conform --list"])(
    "%s ends without an error if nobody reads what it prints",
    async (command) => {
      const [bin = "", ...args] = command.split(" ")
      // The reader has closed its end before anything is written.
      const line = `{ sleep 0.2; "${runtimeBinary(runtime)}" "${fileOf(bin)}" ${args.join(" ")}; echo "ended with $?" >&2; } | true`
      const { stderr } = await shell("sh", ["-c", line], { cwd: folder })
      expect(stderr).toBe("ended with 0\n")
    }
  )
})
