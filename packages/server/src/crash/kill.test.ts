/** The real server, killed at random moments under load and started again: its books balance, its answers are kept. */
import { setTimeout as sleep } from "node:timers/promises"
import { auditPrograms, makeHandClock } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { Effect, Redacted, Schema } from "effect"
import { afterEach, expect, test } from "vitest"
import { layerStores } from "../service/stores.ts"
import { type Books, readBooks } from "./testdata/books.ts"
import { Clients } from "./testdata/clients.ts"
import { heldAt, judgeBooks, unresolved } from "./testdata/judgeBooks.ts"
import { brokenPromises } from "./testdata/promises.ts"
import { chosenSeed, type Random, seededRandom } from "./testdata/seededRandom.ts"
import { type DatabaseKind, describeKinds, type RunningServer, Site, type Tenant } from "./testdata/site.ts"

/** How many lives of the server end so. A kill that loses something is found by the books of every start, not by the last alone. */
const killsOn = (kind: DatabaseKind): number => soakCount({ everyday: kind === "SQLite" ? 3 : 2, full: 50 })

/** Longer than any hold's lease. */
const leaseMs = 3_600_000

let site: Site | undefined

afterEach(() => site?.close())

const prepare = async (kind: DatabaseKind, random: Random) => {
  site = await Site.open(kind)
  const [echo, failing] = [await site.deploy(auditPrograms.echo), await site.deploy(auditPrograms.failing)]
  const tenant = await site.tenant(1_000_000_000n)
  return { site, tenant, clients: new Clients({ tenant, programs: { echo, failing }, random }) }
}

/** One life of the server: load, then death while everything is under way. */
const liveAndDie = async ({ process, url }: RunningServer, clients: Clients, random: Random): Promise<void> => {
  const feed = await clients.feed(url, 20 + random(60))
  const asking = clients.ask(url, 6, new AbortController().signal)
  await clients.until(1 + random(60))
  await sleep(random(40))
  await process.stop("SIGKILL")
  await asking
  await feed.ended()
  clients.remember(feed)
}

/** The next start after every lease, without the wait: our own stores are opened by a clock that is ahead. */
const passTime = (database: string): Promise<void> =>
  Effect.void.pipe(
    Effect.provide(layerStores({ address: Redacted.make(database) }, { name: "testnet", chainId: "sibyl-1-test" })),
    Effect.withClock(makeHandClock(Date.now() + leaseMs)),
    Effect.runPromise
  )

const readProject = Schema.decodeUnknownSync(
  Schema.Struct({ credits: Schema.Struct({ remaining: Schema.BigInt, used: Schema.BigInt, held: Schema.BigInt }) })
)

/** What the service says of a project's credits is what its books say; leases may end while it is asked. */
const expectShown = async (url: string, { key }: Tenant, books: Books): Promise<void> => {
  const askedAtMs = Date.now()
  const response = await fetch(`${url}/project`, { headers: { authorization: `Bearer ${key}` } })
  const { credits } = readProject(await response.json())
  const { granted, used } = books.account
  expect(credits).toMatchObject({ used, remaining: granted - used - credits.held })
  expect(credits.held).toBeLessThanOrEqual(heldAt(books, askedAtMs))
  expect(credits.held).toBeGreaterThanOrEqual(heldAt(books, Date.now()))
}

describeKinds("kill -9 under load", (kind) => {
  const [kills, seed] = [killsOn(kind), chosenSeed()]

  test(
    `${kills} times (seed ${seed})`,
    async () => {
      const random = seededRandom(seed)
      const { clients, site, tenant } = await prepare(kind, random)
      // A file that nobody else has open shows that the holds are nobody's; on PostgreSQL their lease has to end.
      const resolvedBefore = (startedAtMs: number): number => (kind === "SQLite" ? Infinity : startedAtMs)

      for (let life = 0; life <= kills; life += 1) {
        const startedAtMs = Date.now()
        const server = await site.start()
        const books = await readBooks(site.database, tenant.projectId)
        const about = `seed ${seed}, after ${life} kills`
        expect(judgeBooks(books), about).toEqual([])
        expect(unresolved(books, resolvedBefore(startedAtMs)), about).toEqual([])
        expect(brokenPromises(books, clients), about).toEqual([])
        expect(clients.surprises, about).toEqual([])
        await expectShown(server.url, tenant, books)
        if (life < kills) await liveAndDie(server, clients, random)
        else await endWell(server, clients)
      }
      expect(clients.answered.size).toBeGreaterThanOrEqual(kills)
      if (kind === "PostgreSQL") await passTime(site.database)
      const last = await site.start()
      const books = await readBooks(site.database, tenant.projectId)
      expect(judgeBooks(books), `seed ${seed}`).toEqual([])
      expect(unresolved(books, Infinity), `seed ${seed}`).toEqual([])
      expect(brokenPromises(books, clients), `seed ${seed}`).toEqual([])
      expect(books.account.held).toBe(0n)
      await expectShown(last.url, tenant, books)
    },
    60_000 + kills * 30_000
  )
})

/** The retries that are left get their answers, and the server ends as it should. */
const endWell = async ({ process, url }: RunningServer, clients: Clients): Promise<void> => {
  await clients.settle(url)
  expect(clients.isSettled).toBe(true)
  expect(clients.surprises).toEqual([])
  expect(await process.stop("SIGTERM")).toEqual({ code: 0, signal: null })
}
