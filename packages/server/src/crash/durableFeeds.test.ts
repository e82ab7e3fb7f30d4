/** Two server processes on one PostgreSQL run a durable feed: its owner is frozen, thawed and killed, and every tick is charged once. */
import { feedRunId } from "@sibyl/core"
import { auditPrograms, dial, type WireClient } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { auditLedger } from "@sibyl/sql"
import { heldAt } from "./testdata/openHolds.ts"
import { readLedgerTables } from "./testdata/ledgerTables.ts"
import { describePostgres, type RunningServer, Site, type Tenant } from "./testdata/site.ts"

const periodMs = 100
/** A dead owner is replaced within 3 s; the test allows ten times that. */
const withinMs = 30_000
/** So many ticks may pass between the last result that a follower hears of and the end of the feed, on a machine that has other work. */
const unseenTicks = 100
/** After this time the holds of a killed server have lapsed. */
const leasesEndMs = 180_000

interface Result {
  readonly epoch: number
  readonly seq: number
  readonly tick: number
  readonly scheduledAt: number
  readonly startedAt: number
  readonly result?: { readonly data: { readonly id: string } }
}

const resultsOf = (client: WireClient): ReadonlyArray<Result> =>
  client.messages.filter(({ json }) => json["method"] === "feed.result").map(({ json }) => json["params"] as Result)

const heard = (client: WireClient, count: number): Promise<unknown> =>
  client.until(() => (resultsOf(client).length >= count ? true : undefined), withinMs)

/** The longest time between two starts. */
const longestPauseMs = (results: ReadonlyArray<Result>): number =>
  Math.max(...results.slice(1).map(({ startedAt }, at) => startedAt - (results[at]?.startedAt ?? startedAt)))

describePostgres("a durable feed of two servers", () => {
  let site: Site
  let tenant: Tenant
  let programId: string

  beforeAll(async () => {
    site = await Site.open("PostgreSQL")
    programId = await site.deploy(auditPrograms.echo)
    tenant = await site.tenant(1_000_000n)
  })
  afterAll(() => site.close())

  const headers = () => ({ authorization: `Bearer ${tenant.key}`, "content-type": "application/json" })

  const follow = async ({ url }: RunningServer, feedId: string, after: object): Promise<WireClient> => {
    const { client } = await dial({ url: `${url}/ws/v1`, headers: { authorization: `Bearer ${tenant.key}` } })
    if (client === undefined) throw new Error("the upgrade was refused")
    client.sendText(JSON.stringify({ jsonrpc: "2.0", id: "follow", method: "feed.follow", params: { feedId, after } }))
    await client.reply("follow")
    return client
  }

  test("has one result for every number, charged once, while its owners are frozen and killed", async () => {
    const left = await site.start()
    const body = JSON.stringify({ execute: { execProgramId: programId, execInputs: "durable" }, mode: "FIXED", periodicityMs: periodMs })
    const added = await fetch(`${left.url}/feeds`, { method: "POST", headers: headers(), body })
    expect(added.status).toBe(201)
    const { feedId } = (await added.json()) as { readonly feedId: string }
    const right = await site.start()
    const all = await follow(right, feedId, { epoch: 0, seq: 0 })
    await heard(all, 10)

    // The owner sleeps longer than its lease, and wakes up when another one has long gone on.
    process.kill(left.process.pid, "SIGSTOP")
    await heard(all, resultsOf(all).length + 20)
    const frozenMs = longestPauseMs(resultsOf(all))
    process.kill(left.process.pid, "SIGCONT")
    await heard(all, resultsOf(all).length + 10)

    const last = resultsOf(all).at(-1)
    const rest = await follow(left, feedId, { epoch: last?.epoch, seq: last?.seq })
    await heard(rest, 5)
    await right.process.stop("SIGKILL")
    await heard(rest, resultsOf(rest).length + 20)
    const killedMs = longestPauseMs(resultsOf(rest))
    process.stdout.write(`taken over from a frozen owner after ${frozenMs} ms, from a killed one after ${killedMs} ms\n`)
    expect(Math.max(frozenMs, killedMs)).toBeLessThan(withinMs)

    const whole = await follow(left, feedId, { epoch: last?.epoch, seq: -1 })
    await heard(whole, (resultsOf(rest).at(-1)?.seq ?? 0) + 1)
    expect((await fetch(`${left.url}/feeds/${feedId}`, { method: "DELETE", headers: headers() })).status).toBe(200)
    await whole.until(() => whole.messages.find(({ json }) => json["method"] === "feed.ended"), withinMs)
    const results = resultsOf(whole)
    expect(results.map(({ seq }) => seq)).toEqual(results.map((_, at) => at))
    expect(new Set(results.map(({ epoch }) => epoch)).size).toBe(1)
    const ticks = results.map(({ tick }) => tick)
    expect(ticks).toEqual([...new Set(ticks)].toSorted((one, other) => one - other))
    // What followers were sent as it came is what the log has, except for what it had no more when the feed was removed.
    const sent = [...resultsOf(all).filter(({ seq }) => seq <= (last?.seq ?? 0)), ...resultsOf(rest)]
    const common = Math.min(sent.length, results.length)
    expect(common).toBeGreaterThan(40)
    const namesOf = (some: ReadonlyArray<Result>) => some.slice(0, common).map(({ result, seq }) => [seq, result?.data.id])
    expect(namesOf(sent)).toEqual(namesOf(results))
    await left.process.stop("SIGTERM")

    const ledger = await readLedgerTables(site.database, tenant.projectId)
    expect(auditLedger(ledger)).toEqual([])
    expect(heldAt(ledger, Date.now() + leasesEndMs)).toBe(0n)
    const charged = ledger.reports.map(({ id }) => id)
    const shown = new Set([...sent, ...results].map(({ result }) => result?.data.id))
    expect(shown.has(undefined)).toBe(false)
    expect(shown.size).toBe(Math.max(sent.length, results.length))
    expect([...shown].filter((id) => !charged.includes(id ?? ""))).toEqual([])
    expect(new Set(charged).size).toBe(charged.length)
    // Shown to nobody were only the last runs, which had just ended or were in flight when the feed was removed.
    const lastShown = Math.max(...[...sent, ...results].map(({ tick }) => tick))
    const [{ epoch } = { epoch: 0 }] = results
    const afterwards = new Set(Array.from({ length: unseenTicks }, (_, at) => feedRunId(feedId, epoch, lastShown + 1 + at)))
    expect(charged.filter((id) => !shown.has(id) && !afterwards.has(id))).toEqual([])
  })
})
