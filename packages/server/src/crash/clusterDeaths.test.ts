/** Two edges, three executors, PostgreSQL and NATS under load, each killed, frozen or restarted: no answer is lost, no run charged twice. */
import { setTimeout as sleep } from "node:timers/promises"
import { auditPrograms, whyNoNats } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { callingProgram, type ProgramCall } from "@sibyl/testing/wasm"
import { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { auditLedger } from "@sibyl/sql"
import { expireLeases } from "./testdata/expireLeases.ts"
import { unresolved } from "./testdata/openHolds.ts"
import { Clients } from "./testdata/clients.ts"
import { ClusterSite, slowHost } from "./testdata/clusterSite.ts"
import { readLedgerTables } from "./testdata/ledgerTables.ts"
import { LongRuns } from "./testdata/longRuns.ts"
import { answerFaults } from "./testdata/receivedAnswers.ts"
import { chosenSeed, type Random, seededRandom } from "./testdata/seededRandom.ts"
import { describePostgres, type RunningServer } from "./testdata/site.ts"

const rounds = soakCount({ everyday: 1, full: 20 })
const [calls, callMs] = [4, 150]
/** Stated: two seconds beside a run's own length. The test allows ten times that. */
const mostDelayMs = 20_000
let cluster: ClusterSite | undefined
afterEach(() => cluster?.close())

const prepare = async (seed: number) => {
  cluster = await ClusterSite.open(callMs, { limits: { httpPrefetches: 0 } })
  const { site } = cluster
  const [echo, failing] = [await site.deploy(auditPrograms.echo), await site.deploy(auditPrograms.failing)]
  const fetches = Array.from({ length: calls }, (_, at): ProgramCall => ({ kind: "fetch", url: `https://${slowHost}/${at}` }))
  const slow = await site.deploy(callingProgram(fetches))
  const tenant = await site.tenant(1_000_000_000n)
  const random = seededRandom(seed)
  const clients = new Clients({ tenant, programs: { echo, failing }, random })
  const longRuns = new LongRuns({ tenant, programs: { exec: slow, tally: echo } })
  await Promise.all([cluster.executor(), cluster.executor(), cluster.executor()])
  const edges: [RunningServer, RunningServer] = [await cluster.edge(), await cluster.edge()]
  return { cluster, clients, edges, longRuns, random, tenant }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/** The load of one edge, until it is gone or `stopped`. */
const load = ({ clients, longRuns }: Prepared, { url }: RunningServer, stopped: AbortSignal) =>
  Promise.all([clients.ask(url, 3, stopped), longRuns.send(url, 6, stopped)])

/** What was done when; runs of the edge `except` are not counted. */
interface Disturbance {
  readonly what: string
  readonly atMs: number
  readonly except?: string
}

/** Long enough for the runs that an event has met to end before the next event: each is measured alone. */
const recovery = (random: Random) => sleep(1_800 + random(400))

/** The edge, two executors and NATS are disturbed, one after the other; answers what was done when, and the new edge. */
const disturb = async ({ cluster, random }: Prepared, { process: edge, url }: RunningServer) => {
  const { executors, nats } = cluster
  const events: Array<Disturbance> = []
  const note = (what: string, except?: string) =>
    void events.push({ what, atMs: performance.now(), ...(except === undefined ? {} : { except }) })
  note("an edge killed", url)
  await edge.stop("SIGKILL")
  const [next] = await Promise.all([cluster.edge(), recovery(random)])

  const [killed, frozen] = [executors[random(3)], executors[random(3)]]
  note("an executor killed")
  await killed?.stop("SIGKILL")
  // In its place in the list, so that there are three again.
  const [another] = await Promise.all([cluster.executor(), recovery(random)])
  executors.splice(0, executors.length, ...executors.filter((one) => one !== killed && one !== another), another)

  const asleep = frozen === killed ? another : (frozen ?? another)
  note("an executor frozen")
  process.kill(asleep.pid, "SIGSTOP")
  await recovery(random)
  process.kill(asleep.pid, "SIGCONT")

  note("NATS restarted")
  await Effect.runPromise(nats.stop)
  await sleep(300)
  await Effect.runPromise(nats.start)
  await recovery(random)
  return { events, next }
}

const tell = (text: string) => process.stdout.write(`${text}\n`)

/** Says how much longer than its own length a run took that an event has met, and holds it within the bound. */
const tellDelay = (longRuns: LongRuns, { atMs, except, what }: Disturbance): void => {
  const { longestMs, runs } = longRuns.across(atMs, except)
  const delayMs = longestMs - longRuns.ownMs
  tell(`${what}: ${runs} runs under way, the last one affected took ${Math.round(delayMs)} ms beside its own length`)
  expect(runs, what).toBeGreaterThan(0)
  expect(delayMs, what).toBeLessThan(mostDelayMs)
}

const settled = async (clients: Clients, url: string): Promise<void> => {
  await clients.settleAll(url)
  expect(clients.isSettled).toBe(true)
}

describe.skipIf(whyNoNats !== undefined)(whyNoNats === undefined ? "a cluster" : `a cluster (skipped: ${whyNoNats})`, () => {
  describePostgres("loses no answer", () => {
    const seed = chosenSeed()

    test(
      `in ${rounds} rounds of deaths (seed ${seed})`,
      async () => {
        const prepared = await prepare(seed)
        const { clients, cluster, edges, longRuns, tenant } = prepared
        const stop = new AbortController()
        const loads = [load(prepared, edges[0], stop.signal)]
        for (let round = 0; round < rounds; round += 1) {
          loads.push(load(prepared, edges[1], stop.signal))
          await sleep(900)
          const { events, next } = await disturb(prepared, edges[1])
          edges[1] = next
          for (const event of events) tellDelay(longRuns, event)
        }
        stop.abort()
        await Promise.all(loads)
        await settled(clients, edges[0].url)
        expect([...clients.surprises, ...longRuns.surprises]).toEqual([])
        for (const { process } of edges) expect(await process.stop("SIGTERM")).toEqual({ code: 0, signal: null })

        await expireLeases(cluster.site.database)
        const ledger = await readLedgerTables(cluster.site.database, tenant.projectId)
        expect(auditLedger(ledger)).toEqual([])
        expect(unresolved(ledger, Number.POSITIVE_INFINITY)).toEqual([])
        expect([...answerFaults(ledger, clients), ...answerFaults(ledger, longRuns)]).toEqual([])
        expect(ledger.account.held).toBe(0n)
        const answered = clients.answered.size + longRuns.answered.size
        expect(longRuns.answered.size).toBeGreaterThan(10 * rounds)
        tell(`${answered} requests answered, ${ledger.reports.length} runs charged, 503: ${clients.refused.get(503) ?? 0}`)
      },
      120_000 + rounds * 30_000
    )
  })
})
