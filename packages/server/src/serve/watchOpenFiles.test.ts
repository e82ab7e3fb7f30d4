/** A server whose files run out says so once, and that it has enough again. */
import { mkdtemp, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { platform, tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ownRuntime } from "../crash/testdata/site.ts"
import { StartedServer } from "../testdata/startedServer.ts"
import { tellOpenFiles } from "./watchOpenFiles.ts"

test("is told once when few are left, and once when there are more", () => {
  let wasTold = false
  const told: Array<string> = []
  for (const open of [100, 899, 900, 999, 850, 799, 899, 950]) {
    const look = tellOpenFiles(open, 1_000, wasTold)
    wasTold = look === "told" || look === "nearly"
    told.push(look)
  }
  expect(told).toEqual(["well", "well", "nearly", "told", "told", "fewer", "well", "nearly"])
})

// Only Linux tells how many are open.
test.runIf(platform() === "linux")("a server tells its log", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-files-"))
  const server = new StartedServer(ownRuntime, ["serve", "--port", "0", "--workers", "1"], folder, {}, { mostOpenFiles: 256 })
  const sockets: Array<Socket> = []
  try {
    const [, port] = await server.until(/http:\/\/127\.0\.0\.1:(\d+)/)
    for (let at = 0; at < 250; at += 1) sockets.push(connect(Number(port), "127.0.0.1").on("error", () => {}))
    await server.until(/\d+ of 256 files are open: each connection is one/)
    for (const socket of sockets) socket.destroy()
    await server.until(/\d+ of 256 files are open, no longer nearly all/)
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.stop("SIGKILL")
    await rm(folder, { recursive: true, force: true })
  }
})
