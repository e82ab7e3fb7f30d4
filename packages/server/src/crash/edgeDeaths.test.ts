/** A server of two edges on SQLite under load: edges are killed one by one, then all of it; no answer is lost, no run charged twice. */
import { setTimeout as sleep } from "node:timers/promises"
import { auditPrograms } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { afterEach, expect, test } from "vitest"
import { allEnded, childrenOf } from "../testdata/childProcesses.ts"
import { auditLedger } from "@sibyl/sql"
import { unresolved } from "./testdata/openHolds.ts"
import { Clients } from "./testdata/clients.ts"
import { readLedgerTables } from "./testdata/ledgerTables.ts"
import { answerFaults } from "./testdata/receivedAnswers.ts"
import { chosenSeed, type Random, seededRandom } from "./testdata/seededRandom.ts"
import { type RunningServer, Site, type Tenant } from "./testdata/site.ts"

const rounds = soakCount({ everyday: 2, full: 25 })
/** Stated: an edge is replaced after 100 ms, which double with each quick end, and its start, about two seconds. */
const mostReplacingMs = 30_000

let site: Site | undefined
/** Every edge that was seen in the running server. */
let edges: ReadonlyArray<number> = []

const killAll = (pids: ReadonlyArray<number>): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It has ended already.
    }
  }
}

afterEach(async () => {
  for (const { pid } of site?.servers.slice(-1) ?? []) killAll(await childrenOf(pid))
  await site?.close()
})

/** Kills one edge and waits for the process that takes its place; the other one is still there. */
const killOne = async ({ process: supervisor }: RunningServer, killed: number, clients: Clients): Promise<void> => {
  const kept = edges.filter((pid) => pid !== killed)
  process.kill(killed, "SIGKILL")
  const deadline = performance.now() + mostReplacingMs
  await allEnded([killed])
  while ((edges = await childrenOf(supervisor.pid)).length < 2) {
    if (performance.now() > deadline) throw new Error(`no edge takes the place of one that was killed:\n${supervisor.output}`)
    await sleep(20)
  }
  expect(edges).toEqual(expect.arrayContaining([...kept]))
  await clients.until(20)
}

/** Under load, each of the first edges is killed once, so that others serve; then everything at once, or the supervisor only. */
const runAndKill = async (server: RunningServer, clients: Clients, random: Random): Promise<void> => {
  edges = await childrenOf(server.process.pid)
  expect(edges).toHaveLength(2)
  const feed = await clients.feed(server.url, 50 + random(60))
  const stopped = new AbortController()
  const asking = clients.keepAsking(server.url, 6, stopped.signal)
  const first = random(2) === 0 ? edges : edges.toReversed()
  for (const edge of first) {
    await clients.until(5 + random(40))
    await killOne(server, edge, clients)
  }
  await clients.until(1 + random(40))
  stopped.abort()
  if (random(2) === 0) killAll(edges)
  await server.process.stop("SIGKILL")
  await allEnded(edges)
  await asking
  await feed.ended()
  clients.remember(feed)
}

const expectSound = async ({ database }: Site, { projectId }: Tenant, clients: Clients, about: string) => {
  const ledger = await readLedgerTables(database, projectId)
  expect(auditLedger(ledger), about).toEqual([])
  // No other process has the file open, so the holds of all that died were returned at the start.
  expect(unresolved(ledger, Number.POSITIVE_INFINITY), about).toEqual([])
  expect(answerFaults(ledger, clients), about).toEqual([])
  expect(clients.surprises, about).toEqual([])
  return ledger
}

test(
  `${rounds} rounds of deaths`,
  async () => {
    const seed = chosenSeed()
    const random = seededRandom(seed)
    site = await Site.open("SQLite", { edges: 2, workers: 2 })
    const programs = { echo: await site.deploy(auditPrograms.echo), failing: await site.deploy(auditPrograms.failing) }
    const tenant = await site.tenant(1_000_000_000n)
    const clients = new Clients({ tenant, programs, random, isEachAlone: true })
    for (let round = 0; round < rounds; round += 1) {
      const server = await site.start()
      await expectSound(site, tenant, clients, `seed ${seed}, after ${round} rounds`)
      await runAndKill(server, clients, random)
    }
    const last = await site.start()
    await expectSound(site, tenant, clients, `seed ${seed}, at the end`)
    await clients.settleAll(last.url)
    expect(clients.isSettled).toBe(true)
    expect(await last.process.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    const ledger = await expectSound(site, tenant, clients, `seed ${seed}, settled`)
    expect(ledger.account.held).toBe(0n)
    process.stdout.write(`${rounds} rounds: ${clients.answered.size} answered requests, ${ledger.reports.length} runs charged\n`)
  },
  60_000 + rounds * 90_000
)
