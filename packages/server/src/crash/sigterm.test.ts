/** The real server, stopped under load: it finishes every request it accepted and accepts no more. */
import { auditPrograms } from "@sibyl/testing"
import { afterEach, expect, test } from "vitest"
import { readLedgerTables } from "./testdata/ledgerTables.ts"
import { Clients } from "./testdata/clients.ts"
import { auditLedger } from "@sibyl/sql"
import { unresolved } from "./testdata/openHolds.ts"
import { answerFaults } from "./testdata/receivedAnswers.ts"
import { chosenSeed, seededRandom } from "./testdata/seededRandom.ts"
import { describeKinds, Site } from "./testdata/site.ts"

let site: Site | undefined

afterEach(() => site?.close())

describeKinds("SIGTERM under load", (kind) => {
  const seed = chosenSeed()

  test(`loses nothing (seed ${seed})`, async () => {
    site = await Site.open(kind)
    const tenant = await site.tenant(1_000_000_000n)
    const programs = { echo: await site.deploy(auditPrograms.echo), failing: await site.deploy(auditPrograms.failing) }
    const clients = new Clients({ tenant, programs, random: seededRandom(seed) })
    const { process, url } = await site.start()
    const feed = await clients.feed(url, 20)
    const asking = clients.ask(url, 8, new AbortController().signal)
    await clients.until(30)
    const exit = process.stop("SIGTERM")

    expect(await feed.ended()).toEqual({ code: 1001, reason: "the service is closing" })
    expect(await exit).toEqual({ code: 0, signal: null })
    // Every client was refused or disconnected by now.
    await asking
    clients.remember(feed)
    expect(clients.surprises).toEqual([])
    expect([...clients.refused.keys()].filter((status) => status !== 503)).toEqual([])
    expect(clients.fed.size).toBeGreaterThan(0)

    const ledger = await readLedgerTables(site.database, tenant.projectId)
    expect(auditLedger(ledger)).toEqual([])
    expect(unresolved(ledger, Infinity)).toEqual([])
    expect(answerFaults(ledger, clients)).toEqual([])
    // Every charged run was answered.
    const unanswered = ledger.reports.filter(({ inputs }) => inputs !== "a feed" && !clients.answered.has(inputs))
    expect(unanswered).toEqual([])
  })
})
