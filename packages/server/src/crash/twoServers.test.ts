/** Two server processes on one PostgreSQL: they share balances, limits, keys, results and retries. */
import { auditPrograms, dial, type WireClient } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { askSibyl } from "../testdata/runSibyl.ts"
import { readLedgerTables } from "./testdata/ledgerTables.ts"
import { type Execution, execution, executions, flatPrice, tally } from "./testdata/flatPrice.ts"
import { auditLedger } from "@sibyl/sql"
import { heldAt } from "./testdata/openHolds.ts"
import { describePostgres, Site } from "./testdata/site.ts"

/** A revoked key is refused within a second; the test allows ten times that. */
const refusedWithinMs = 10_000

const runOf = ({ json }: Execution) => {
  const { data } = json as { readonly data: { readonly id: string; readonly dataResult: { blockTimestamp: string } } }
  return { id: data.id, timestamp: BigInt(data.dataResult.blockTimestamp) }
}

describePostgres("two servers", () => {
  let site: Site
  let urls: readonly [left: string, right: string]
  let programId: string

  beforeAll(async () => {
    site = await Site.open("PostgreSQL", flatPrice.configuration)
    programId = await site.deploy(auditPrograms.echo)
    const [left, right] = await Promise.all([site.start(), site.start()])
    urls = [left.url, right.url]
  })
  afterAll(() => site.close())

  const expectConsistentLedger = async (projectId: string) => {
    const ledger = await readLedgerTables(site.database, projectId)
    expect(auditLedger(ledger)).toEqual([])
    // Escrows may be open, of which no run draws any more.
    expect(heldAt(ledger, Date.now())).toBe(0n)
    return ledger
  }

  test("share a balance to the last credit", async () => {
    const { key, projectId } = await site.tenant(20n * flatPrice.credits)
    const answers = await executions(urls, 120, { key, programId })
    expect(tally(answers)).toEqual({ 200: 20, 403: 100 })
    const { account } = await expectConsistentLedger(projectId)
    expect(account.used).toBe(account.granted)
  })

  test("share a usage limit", async () => {
    // A period of a year, so that none ends during the test.
    const { key, projectId } = await site.tenant(1_000_000n, {
      usageLimit: { periodMs: 365 * 86_400_000, credits: 10n * flatPrice.credits }
    })
    const answers = await executions(urls, 60, { key, programId })
    expect(tally(answers)).toEqual({ 200: 10, 429: 50 })
    await expectConsistentLedger(projectId)
  })

  test("run a request under one idempotency key once, however many clients send it to both concurrently", async () => {
    const { key, projectId } = await site.tenant(1_000_000n)
    const answers = await executions(urls, 60, { key, programId, idempotencyKey: "once", inputs: "once" })
    expect(tally(answers)).toEqual({ 200: 60 })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const ledger = await expectConsistentLedger(projectId)
    expect(ledger.reports).toHaveLength(1)
  })

  test("answer with each other's last results immediately, with increasing timestamps", async () => {
    const { key, projectId } = await site.tenant(1_000_000n)
    const query = `execProgramId=${programId}&execInputs=shared`
    let before = 0n
    for (let turn = 0; turn < 20; turn += 1) {
      const [writer = "", reader = ""] = turn % 2 === 0 ? urls : [...urls].reverse()
      const written = runOf(await execution(writer, { key, programId, inputs: "shared" }))
      const headers = { authorization: `Bearer ${key}` }
      const answer = await fetch(`${reader}/execute/last-result?${query}`, { headers })
      expect(await answer.json()).toMatchObject({ data: { id: written.id } })
      expect(written.timestamp).toBeGreaterThan(before)
      before = written.timestamp
    }
    // Concurrently on both: the audit would find two results of one request with one timestamp.
    const answers = await executions(urls, 60, { key, programId, inputs: "shared" })
    expect(tally(answers)).toEqual({ 200: 60 })
    expect(answers.filter((answer) => runOf(answer).timestamp <= before)).toEqual([])
    const { reports } = await expectConsistentLedger(projectId)
    expect(new Set(reports.map(({ drId }) => drId)).size).toBe(1)
    expect(reports).toHaveLength(80)
  })

  test("refuse a key that was revoked by command line, and close its WebSockets", async () => {
    const { apiKeyId, key } = await site.tenant(1_000_000n)
    const headers = { authorization: `Bearer ${key}` }
    const connect = async (url: string): Promise<WireClient> => {
      const { client } = await dial({ url: `${url}/ws/v1`, headers })
      if (client === undefined) throw new Error("no WebSocket")
      await client.until(() => client.messages[0])
      return client
    }
    const statuses = () => Promise.all(urls.map(async (url) => (await fetch(`${url}/verify`, { headers })).status))
    const clients = await Promise.all(urls.map(connect))
    expect(await statuses()).toEqual([200, 200])
    await askSibyl(["key", "revoke", apiKeyId], { cwd: site.folder })
    const deadline = performance.now() + refusedWithinMs
    while ((await statuses()).includes(200) && performance.now() < deadline) {
      /* until both refuse it */
    }
    expect(await statuses()).toEqual([401, 401])
    for (const client of clients) expect(await client.ended(refusedWithinMs)).toMatchObject({ code: 1008 })
  })
})
