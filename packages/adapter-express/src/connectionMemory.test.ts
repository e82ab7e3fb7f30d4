/** Closed connections leave no memory behind, measured coarsely: far less than one connection takes. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { dial } from "@sibyl/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AuditedServer, startAuditedServer } from "./testdata/auditedSocketServer.ts"

let server: AuditedServer
beforeAll(async () => {
  server = await startAuditedServer()
})
afterAll(() => server.stop())

const collectGarbage = (): void => {
  if (typeof globalThis.Bun !== "undefined") {
    globalThis.Bun.gc(true)
    return
  }
  setFlagsFromString("--expose-gc")
  ;(runInNewContext("gc") as () => void)()
}

/** Bytes in use after a garbage collection. */
const usedBytes = async (): Promise<number> => {
  for (let round = 0; round < 5; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}

/** Connects, starts a feed, waits for a result and disconnects without a close frame. */
const cycle = async (): Promise<void> => {
  const { apiKey, baseUrl, keyWithoutCredits = apiKey, programs } = server.target
  // Runs without credits leave no reports, which would be kept.
  const { client } = await dial({ url: `${baseUrl}/ws/v1`, headers: { authorization: `Bearer ${keyWithoutCredits}` } })
  const params = { execute: { execProgramId: programs.echo }, periodicityMs: 10, mode: "PARALLEL" }
  client?.sendText(JSON.stringify({ jsonrpc: "2.0", id: "1", method: "feed.start", params }))
  await client?.until(() => client.messages.find(({ json }) => json["method"] === "feed.result"))
  client?.reset()
}

const cycles = async (times: number): Promise<void> => {
  for (let count = 0; count < times; count += 1) await cycle()
}

it("a thousand connections with a feed each", { timeout: 300_000 }, async () => {
  await cycles(200)
  const before = await usedBytes()
  await cycles(1_000)
  const grownPerConnection = ((await usedBytes()) - before) / 1_000
  // A leaked connection would take tens of kilobytes; compiled code alone grows by about one for each.
  expect(grownPerConnection).toBeLessThan(4_096)
})
