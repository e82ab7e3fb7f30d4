/** A server of two edges: one port, one set of limits, an edge that ends is replaced, and nothing is lost at the end. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Limits } from "@sibyl/core"
import { dial, type Dialled, type WireClient } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ownRuntime } from "../../crash/testdata/site.ts"
import { askSibyl } from "../../testdata/runSibyl.ts"
import { expectAuditsPassed, pingIntervalMs } from "../../testdata/operatedAudits.ts"
import { OperatedServer } from "../../testdata/operatedServer.ts"
import { StartedServer } from "../../testdata/startedServer.ts"
import { askingProgram, HeldUpstream } from "./testdata/heldUpstream.ts"

const settings = { pingIntervalMs, httpPrefetches: 0, httpRequestTimeoutMs: 60_000, httpRunBudgetMs: 60_000, queueWaitMs: 60_000 }

const twoEdges = ["serve", "--edges", "2", "--workers", "2"] as const

let upstream: HeldUpstream
let server: OperatedServer

beforeAll(async () => {
  upstream = await HeldUpstream.open()
  const limits = Object.entries(settings).flatMap(([name, value]) => ["--set", `limits.${name}=${value}`])
  server = await OperatedServer.start(ownRuntime, ...twoEdges, "--set", upstream.setting, ...limits)
})
afterAll(async () => {
  await server.close()
  await upstream.close()
})

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + 30_000
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it did not come about:\n${server.process.output}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const keyOf = async (limits: Partial<Limits> = {}) => {
  const { projectId } = await server.oracle.createProject({ organizationSlug: "acme", limits })
  await server.oracle.grant(projectId, 1_000_000n)
  return server.oracle.issueKey(projectId)
}

const open = (key: string): Promise<Dialled> => dial({ url: `${server.url}/ws/v1`, headers: { authorization: `Bearer ${key}` } })

const isOpen = async (client: WireClient): Promise<boolean> => (await client.ended(0)) === undefined

const openOnes = async (clients: ReadonlyArray<WireClient>): Promise<ReadonlyArray<WireClient>> => {
  const are = await Promise.all(clients.map(isOpen))
  return clients.filter((_, at) => are[at])
}

const answers = (client: WireClient, id: string): Promise<unknown> => {
  client.sendText(JSON.stringify({ jsonrpc: "2.0", id, method: "nothing", params: {} }))
  return client.reply(id)
}

/** Opens so many at once; those that a first request was answered on. One too many is refused, or closed if others have opened meanwhile. */
const openAll = async (key: string, count: number): Promise<ReadonlyArray<WireClient>> => {
  const dialled = await Promise.all(Array.from({ length: count }, () => open(key)))
  const clients = dialled.flatMap(({ client }) => (client === undefined ? [] : [client]))
  await Promise.all(clients.map((client) => answers(client, "first")))
  return openOnes(clients)
}

/** Each request on a connection of its own, so that both edges get some. */
const execute = (programId: string, key: string, inputs: number) =>
  fetch(`${server.url}/execute?execProgramId=${programId}&execInputs=${inputs}`, {
    headers: { authorization: `Bearer ${key}`, connection: "close" }
  }).then(({ status }) => status)

/** Those that concern what one request leaves for the next, which may come to another edge; a soak runs all. */
const everyday = /^(?:REST-(?:RETRY-001|LAST-001|LAST-002|HIST-001)|WS-(?:CONN-004|EXEC-001|FEED-001|LIVE-003|SHARE-00[2-6]))$/

const isSoak = soakCount({ everyday: 0, full: 1 }) > 0

test("passes the audits", { timeout: 600_000 }, () => expectAuditsPassed(server, everyday))

test("has at most as many connections of a key as one server, however many arrive at once", async () => {
  const { key } = await keyOf({ connectionsPerKey: 4 })
  const opened = await openAll(key, 16)
  await until(async () => (await openOnes(opened)).length <= 4)
  const clients = await openOnes(opened)
  expect(clients).toHaveLength(4)
  expect((await open(key)).client).toBeUndefined()
  for (const client of clients) client.reset()
  await until(async () => (await openAll(key, 1)).length === 1)
})

test("has at most as many runs of a project in flight as one server, and refuses none before", async () => {
  const programId = await server.oracle.deploy(askingProgram)
  const { key } = await keyOf({ runsPerProject: 6 })
  for (let round = 0; round < 2; round += 1) {
    const statuses: Array<number> = []
    const running = Array.from({ length: 20 }, async (_, at) => statuses.push(await execute(programId, key, round * 100 + at)))
    await until(() => statuses.length === 14 && upstream.held === 6)
    expect([upstream.held, statuses]).toEqual([6, Array(14).fill(503)])
    upstream.letGo()
    await Promise.all(running)
    expect(statuses.slice(14)).toEqual(Array(6).fill(200))
  }
})

test("replaces an edge that was killed; the WebSockets of the other stay open, and the places of the lost ones are free", async () => {
  const { key } = await keyOf({ connectionsPerKey: 20 })
  const clients = await openAll(key, 20)
  expect(clients).toHaveLength(20)
  const before = await server.children()
  expect(before).toHaveLength(2)
  const [killed = 0, kept = 0] = before
  process.kill(killed, "SIGKILL")
  await until(async () => (await server.children()).some((pid) => !before.includes(pid)))
  const after = await server.children()
  expect(after).toContain(kept)
  await server.process.until(/edge [12] ended with signal SIGKILL; another process takes its place in 100 ms/)
  const open = await openOnes(clients)
  const lost = clients.length - open.length
  expect([open.length > 0, lost > 0]).toEqual([true, true])
  // Those that were lost can be opened again, and no more.
  let reopened = 0
  await until(async () => (reopened += (await openAll(key, 1)).length) === lost)
  expect((await openAll(key, 3)).length).toBe(0)
  for (const client of open) expect(await answers(client, "later")).toBeDefined()
})

// Of Bun's edges each has a queue of its own in the system, which ends with it.
test.skipIf(ownRuntime === "bun")("answers a connection that was on its way to an edge that is killed", async () => {
  const [killed = 0] = await server.children()
  const statuses: Array<number> = []
  const ask = async (): Promise<void> => {
    const { status } = await fetch(`${server.url}/health`, { headers: { connection: "close" }, signal: AbortSignal.timeout(60_000) })
    statuses.push(status)
  }
  // Until the edge that stands still has one of them, and the other edge the rest: an edge that has just begun is given none.
  let asked: ReadonlyArray<Promise<void>> = []
  try {
    await until(async () => {
      process.kill(killed, "SIGCONT")
      await Promise.all(asked)
      // It may be the one that takes the place of the last one killed, and has to start.
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      process.kill(killed, "SIGSTOP")
      statuses.length = 0
      asked = Array.from({ length: 8 }, ask)
      await until(() => statuses.length >= 7)
      await new Promise((resolve) => setTimeout(resolve, 500))
      return statuses.length === 7
    })
  } finally {
    process.kill(killed, "SIGKILL")
  }
  await Promise.all(asked)
  expect(statuses).toEqual(Array(8).fill(200))
  await until(async () => (await server.children()).length === 2)
})

// The same of Bun: it closes what is in that queue.
test.skipIf(ownRuntime === "bun")("answers the connections that wait for an edge when it is asked to stop", async () => {
  const other = await OperatedServer.start(ownRuntime, ...twoEdges)
  const edges = await other.children()
  for (const pid of edges) process.kill(pid, "SIGSTOP")
  const pause = () => new Promise((resolve) => setTimeout(resolve, 300))
  const asked = Array.from({ length: 60 }, async () => {
    const { status } = await fetch(`${other.url}/health`, { headers: { connection: "close" }, signal: AbortSignal.timeout(60_000) })
    return status
  })
  // Their supervisor has all but one for each edge.
  await pause()
  const exit = other.process.stop("SIGTERM")
  await pause()
  for (const pid of edges) process.kill(pid, "SIGCONT")
  const statuses = await Promise.all(asked)
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(await exit).toEqual({ code: 0, signal: null })
  await other.close()
})

test("refuses a key that was revoked by command line, on both edges, and closes its WebSockets", async () => {
  const { apiKeyId, key } = await keyOf()
  const clients = await openAll(key, 12)
  expect(clients).toHaveLength(12)
  await askSibyl(["key", "revoke", apiKeyId], { cwd: server.folder })
  for (const client of clients) expect(await client.ended()).toMatchObject({ code: 1008 })
  const statuses = await Promise.all(Array.from({ length: 12 }, (_, at) => execute("00".repeat(32), key, at)))
  expect(statuses).toEqual(Array(12).fill(401))
})

test("says in one line that the port is taken, also by edges", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-taken-"))
  const { port } = new URL(server.url)
  const second = new StartedServer(ownRuntime, ["serve", "--edges", "2", "--port", port], folder)
  expect((await second.exit).code).toBe(1)
  expect(second.output.trim()).toBe(`sibyl: port ${port} of 127.0.0.1 is in use; choose another with --port`)
  await rm(folder, { recursive: true, force: true })
})

test("answers what is running when it is asked to stop, and leaves no process", async () => {
  const programId = await server.oracle.deploy(askingProgram)
  const { key } = await keyOf()
  const clients = await openAll(key, 4)
  const running = Array.from({ length: 8 }, (_, at) => execute(programId, key, 1_000 + at))
  await until(() => upstream.held === 8)
  const edges = await server.children()
  const exit = server.process.stop("SIGTERM")
  for (const client of clients) expect(await client.ended()).toEqual({ code: 1001, reason: "the service is closing" })
  expect(upstream.held).toBe(8)
  upstream.letGo()
  expect(await Promise.all(running)).toEqual(Array(8).fill(200))
  expect(await exit).toEqual({ code: 0, signal: null })
  expect(edges).toHaveLength(2)
  for (const pid of edges) expect(() => process.kill(pid, 0)).toThrow("ESRCH")
})

// In a soak only: it takes another server, and the end of a channel is an event of the runtime.
test.runIf(isSoak)(
  "ends its edges when the supervisor is killed",
  async () => {
    const other = await OperatedServer.start(ownRuntime, ...twoEdges)
    const edges = await other.children()
    expect(edges).toHaveLength(2)
    await other.process.stop("SIGKILL")
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    await until(() => !edges.some(isAlive))
    await other.close()
  },
  60_000
)
