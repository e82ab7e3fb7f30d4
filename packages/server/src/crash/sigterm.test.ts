/** The real server, asked to stop under load: nothing that it took on is lost, and it takes on nothing more. */
import { auditPrograms } from "@sibyl/testing"
import { afterEach, expect, test } from "vitest"
import { readBooks } from "./testdata/books.ts"
import { Clients } from "./testdata/clients.ts"
import { judgeBooks, unresolved } from "./testdata/judgeBooks.ts"
import { brokenPromises } from "./testdata/promises.ts"
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
    // Every client has met its refusal or a closed door by now.
    await asking
    clients.remember(feed)
    expect(clients.surprises).toEqual([])
    expect([...clients.refused.keys()].filter((status) => status !== 503)).toEqual([])
    expect(clients.fed.size).toBeGreaterThan(0)

    const books = await readBooks(site.database, tenant.projectId)
    expect(judgeBooks(books)).toEqual([])
    expect(unresolved(books, Infinity)).toEqual([])
    expect(brokenPromises(books, clients)).toEqual([])
    // Who asked was answered: no run was charged whose client did not hear of it.
    const unheard = books.reports.filter(({ inputs }) => inputs !== "a feed" && !clients.answered.has(inputs))
    expect(unheard).toEqual([])
  }, 180_000)
})
