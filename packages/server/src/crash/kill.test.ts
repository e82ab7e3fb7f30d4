/** The real server, killed at random moments under load and restarted: its ledger stays consistent and it keeps every answer. */
import { setTimeout as sleep } from "node:timers/promises"
import { auditPrograms } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { Schema } from "effect"
import { afterEach, expect, test } from "vitest"
import { type LedgerTables, readLedgerTables } from "./testdata/ledgerTables.ts"
import { Clients } from "./testdata/clients.ts"
import { auditLedger } from "@sibyl/sql"
import { expireLeases } from "./testdata/expireLeases.ts"
import { heldAt, unresolved } from "./testdata/openHolds.ts"
import { answerFaults } from "./testdata/receivedAnswers.ts"
import { chosenSeed, type Random, seededRandom } from "./testdata/seededRandom.ts"
import { type DatabaseKind, describeKinds, type RunningServer, Site, type Tenant } from "./testdata/site.ts"

/** How often the server is killed. The ledger is audited after every start, so a loss is found at once. */
const killsOn = (kind: DatabaseKind): number => soakCount({ everyday: kind === "SQLite" ? 3 : 2, full: 50 })

let site: Site | undefined

afterEach(() => site?.close())

const prepare = async (kind: DatabaseKind, random: Random) => {
  site = await Site.open(kind)
  const [echo, failing] = [await site.deploy(auditPrograms.echo), await site.deploy(auditPrograms.failing)]
  const tenant = await site.tenant(1_000_000_000n)
  return { site, tenant, clients: new Clients({ tenant, programs: { echo, failing }, random }) }
}

/** Puts the server under load and kills it while requests are in flight. */
const runAndKill = async ({ process, url }: RunningServer, clients: Clients, random: Random): Promise<void> => {
  const feed = await clients.feed(url, 20 + random(60))
  const asking = clients.ask(url, 6, new AbortController().signal)
  await clients.until(1 + random(60))
  await sleep(random(40))
  await process.stop("SIGKILL")
  await asking
  await feed.ended()
  clients.remember(feed)
}

const readProject = Schema.decodeUnknownSync(
  Schema.Struct({ credits: Schema.Struct({ remaining: Schema.BigInt, used: Schema.BigInt, held: Schema.BigInt }) })
)

/** The service shows the credits that the ledger has; leases may expire during the request. */
const expectCreditsShown = async (url: string, { key }: Tenant, ledger: LedgerTables): Promise<void> => {
  const askedAtMs = Date.now()
  const response = await fetch(`${url}/project`, { headers: { authorization: `Bearer ${key}` } })
  const { credits } = readProject(await response.json())
  const { granted, used } = ledger.account
  expect(credits).toMatchObject({ used, remaining: granted - used - credits.held })
  expect(credits.held).toBeLessThanOrEqual(heldAt(ledger, askedAtMs))
  expect(credits.held).toBeGreaterThanOrEqual(heldAt(ledger, Date.now()))
}

describeKinds("kill -9 under load", (kind) => {
  const [kills, seed] = [killsOn(kind), chosenSeed()]

  test(
    `${kills} times (seed ${seed})`,
    async () => {
      const random = seededRandom(seed)
      const { clients, site, tenant } = await prepare(kind, random)
      // SQLite: no other process has the file open, so all holds are orphaned. PostgreSQL: their leases must expire first.
      const resolvedBefore = (startedAtMs: number): number => (kind === "SQLite" ? Infinity : startedAtMs)

      for (let life = 0; life <= kills; life += 1) {
        const startedAtMs = Date.now()
        const server = await site.start()
        const ledger = await readLedgerTables(site.database, tenant.projectId)
        const about = `seed ${seed}, after ${life} kills`
        expect(auditLedger(ledger), about).toEqual([])
        expect(unresolved(ledger, resolvedBefore(startedAtMs)), about).toEqual([])
        expect(answerFaults(ledger, clients), about).toEqual([])
        expect(clients.surprises, about).toEqual([])
        await expectCreditsShown(server.url, tenant, ledger)
        if (life < kills) await runAndKill(server, clients, random)
        else await stopCleanly(server, clients)
      }
      expect(clients.answered.size).toBeGreaterThanOrEqual(kills)
      if (kind === "PostgreSQL") await expireLeases(site.database)
      const last = await site.start()
      const ledger = await readLedgerTables(site.database, tenant.projectId)
      expect(auditLedger(ledger), `seed ${seed}`).toEqual([])
      expect(unresolved(ledger, Infinity), `seed ${seed}`).toEqual([])
      expect(answerFaults(ledger, clients), `seed ${seed}`).toEqual([])
      expect(ledger.account.held).toBe(0n)
      await expectCreditsShown(last.url, tenant, ledger)
      const [lost, faults] = [answerFaults(ledger, clients), auditLedger(ledger)]
      const overdrawn = faults.filter((fault) => fault.includes("overdrawn"))
      const ended = `${clients.answered.size} answered requests, ${ledger.reports.length} runs charged`
      process.stdout.write(`${kind}, ${kills} kills: ${ended}, ${lost.length} lost, ${overdrawn.length} overdrawn\n`)
    },
    60_000 + kills * 30_000
  )
})

/** The remaining retries get their answers, and the server stops with exit code 0. */
const stopCleanly = async ({ process, url }: RunningServer, clients: Clients): Promise<void> => {
  await clients.settleAll(url)
  expect(clients.isSettled).toBe(true)
  expect(clients.surprises).toEqual([])
  expect(await process.stop("SIGTERM")).toEqual({ code: 0, signal: null })
}
