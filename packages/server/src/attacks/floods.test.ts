/** One tenant floods its WebSockets, or never reads them; another one is still served, and the flood is cut off. */
import { setImmediate as turn } from "node:timers/promises"
import { dial, type WireClient } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { assemble } from "@sibyl/testing/wasm"
import { afterEach, expect, test } from "vitest"
import { AttackedServer } from "./testdata/attackedServer.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"

let attacked: AttackedServer | undefined
const clients: Array<WireClient> = []

afterEach(async () => {
  for (const client of clients.splice(0)) client.reset()
  await attacked?.close()
})

const connect = async ({ attacker, url }: AttackedServer): Promise<WireClient> => {
  const { client } = await dial({ url: `${url}/ws/v1`, headers: { authorization: `Bearer ${attacker.key}` } })
  if (client === undefined) throw new Error("no WebSocket")
  clients.push(client)
  return client
}

const connectMany = (server: AttackedServer, count: number): Promise<ReadonlyArray<WireClient>> =>
  Promise.all(Array.from({ length: count }, () => connect(server)))

const floodMs = soakCount({ everyday: 2_000, full: 10_000 })

test("ten connections that send junk as fast as they can", async () => {
  const server = (attacked = await AttackedServer.open())
  const endings: Array<number> = []
  const seen = await server.during(async () => {
    const startedMs = performance.now()
    // On a busy machine it may take longer until the first of them has sent too much.
    const isOver = (): boolean => performance.now() - startedMs >= (endings.length === 0 ? 15 * floodMs : floodMs)
    const flood = async (): Promise<void> => {
      while (!isOver()) {
        const client = await connect(server)
        let ending: { readonly code: number } | undefined
        while (ending === undefined && !isOver()) {
          for (let sent = 0; sent < 500; sent += 1) client.sendText("junk")
          await turn()
          ending = await client.ended(0)
        }
        if (ending !== undefined) endings.push(ending.code)
        client.reset()
      }
    }
    await Promise.all(Array.from({ length: 10 }, flood))
  })
  expectUnharmed("ten connections of junk", seen)
  expect(endings).toContain(1008)
})

/** Returns 96,000 bytes, which a result may have. */
const largeResult = assemble(`
import execution_result
import proc_exit
memory 4
i32.const 0
i32.const 96000
call execution_result
i32.const 0
call proc_exit
`)

/** The limit of connections per key, so that each further one that opens shows that one of them was closed. */
const connections = soakCount({ everyday: 4, full: 20 })
const patienceMs = 90_000

const untilClosed = async (server: AttackedServer, count: number): Promise<number> => {
  const until = performance.now() + patienceMs
  let opened = 0
  while (opened < count && performance.now() < until) {
    const dialled = await dial({ url: `${server.url}/ws/v1`, headers: { authorization: `Bearer ${server.attacker.key}` } })
    if (dialled.client === undefined) await new Promise((resolve) => setTimeout(resolve, 100))
    else {
      clients.push(dialled.client)
      opened += 1
    }
  }
  return opened
}

test(`${connections} connections that never read, with fifty feeds each`, async () => {
  // A fifth of the default for slow readers.
  const limits = { connectionsPerKey: connections, outputSoftMs: 1_000 }
  const server = (attacked = await AttackedServer.open([largeResult], { limits }))
  const [execProgramId = ""] = server.programIds
  const silent = await connectMany(server, connections)
  let closed = 0
  const seen = await server.during(async () => {
    for (const client of silent) {
      client.pause()
      for (let feed = 0; feed < 50; feed += 1) {
        const params = { mode: "PARALLEL", periodicityMs: 10, execute: { execProgramId } }
        client.sendText(JSON.stringify({ jsonrpc: "2.0", id: `${feed}`, method: "feed.start", params }))
      }
    }
    closed = await untilClosed(server, silent.length)
  })
  expectUnharmed(`${connections} connections that never read`, seen)
  expect(closed).toBe(silent.length)
})
