/** The command line whose output nobody reads any more, on both runtimes. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
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

  // A device that is as a full disk, on Linux.
  const full = "/dev/full"

  test.skipIf(!existsSync(full))("a server goes on, and ends properly, where its log is on a full disk", async () => {
    const args = ["serve", "--port", "0", "--json", "--database", `sqlite:${join(folder, `full-${runtime}.sqlite`)}`]
    const server = new StartedServer(runtime, args, folder, { SIBYL_LOG_LEVEL: "debug" }, { logFile: full })
    try {
      const [, url] = await server.until(/"url": ?"(http:[^"]+)"/)
      for (let asked = 0; asked < 5; asked += 1) expect((await fetch(`${url}/info`)).status).toBe(200)
      expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null })
      expect(server.output).not.toContain("ENOSPC")
    } finally {
      await server.stop("SIGKILL")
    }
  })

  test.skipIf(!existsSync(full))("a command whose output is on a full disk says so in one line, and fails", async () => {
    const line = `"${runtimeBinary(runtime)}" "${fileOf("packages/server/bin/sibyl.js")}" config > ${full}; echo "ended with $?" >&2`
    const { stderr } = await shell("sh", ["-c", line], { cwd: folder })
    expect(stderr).toBe("sibyl: standard output cannot be written: ENOSPC\nended with 1\n")
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
