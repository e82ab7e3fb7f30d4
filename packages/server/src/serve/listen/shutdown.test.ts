/** Shutdown with open WebSockets: every client gets a close frame, and no client can delay the exit. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { dial, type WireClient } from "@sibyl/testing"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type RuntimeName, StartedServer } from "../../testdata/startedServer.ts"

const runtimes: ReadonlyArray<RuntimeName> = ["node", "bun"]

describe.each(runtimes)("sibyl serve on %s, asked to stop", (runtime) => {
  let folder: string
  let server: StartedServer

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-stop-"))
    server = new StartedServer(runtime, ["serve", "--demo", "--port", "0"], folder)
    await server.until(/Ctrl-C stops the server/)
  })
  afterEach(async () => {
    await server.stop("SIGKILL")
    await rm(folder, { recursive: true, force: true })
  })

  const open = async (): Promise<WireClient> => {
    const [url = ""] = await server.until(/http:\/\/127\.0\.0\.1:[0-9]+/)
    const [authorization = ""] = await server.until(/Bearer [^"' ]+/)
    const { client } = await dial({ url: `${url}/ws/v1`, headers: { authorization } })
    if (client === undefined) throw new Error(`no WebSocket:\n${server.output}`)
    await client.until(() => client.messages[0])
    return client
  }

  // The second is what a terminal sends when it is closed.
  test.each(["SIGTERM", "SIGHUP"] as const)(
    "by %s: closes with 1001, does not wait for silent clients, and exits with 0",
    async (signal) => {
      const [proper, silent] = [await open(), await open()]
      silent.pause()
      const exit = server.stop(signal)
      const ending = await proper.ended()
      expect(ending).toEqual({ code: 1001, reason: "the service is closing" })
      expect(await exit).toEqual({ code: 0, signal: null })
      silent.reset()
    }
  )
})
