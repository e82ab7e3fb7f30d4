/** Tickets on two server processes with one PostgreSQL: made on one, used on both, never more often or for more credits than they allow. */
import { auditPrograms, dial } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { askSibyl } from "../testdata/runSibyl.ts"
import { executions, flatPrice, tally } from "./testdata/flatPrice.ts"
import { describePostgres, Site, type Tenant } from "./testdata/site.ts"

describePostgres("tickets on two servers", () => {
  let site: Site
  let urls: readonly [left: string, right: string]
  let programId: string
  let tenant: Tenant

  beforeAll(async () => {
    site = await Site.open("PostgreSQL", flatPrice.configuration)
    programId = await site.deploy(auditPrograms.echo)
    const [left, right] = await Promise.all([site.start(), site.start()])
    urls = [left.url, right.url]
    tenant = await site.tenant(1_000_000n)
  })
  afterAll(() => site.close())

  /** Made on the first server. */
  const ticketWith = async (request: object, key = tenant.key): Promise<string> => {
    const answer = await fetch(`${urls[0]}/tickets`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(request)
    })
    expect(answer.status).toBe(201)
    return ((await answer.json()) as { readonly ticket: string }).ticket
  }

  const verifies = (ticket: string): Promise<ReadonlyArray<number>> =>
    Promise.all(urls.map(async (url) => (await fetch(`${url}/verify`, { headers: { authorization: `Bearer ${ticket}` } })).status))

  test("are used as often as they may be, however many use them on both at once", async () => {
    const ticket = await ticketWith({ maxUses: 10 })
    expect(tally(await executions(urls, 60, { key: ticket, programId }))).toEqual({ 200: 10, 401: 50 })
  })

  test("spend no more than their budget", async () => {
    const ticket = await ticketWith({ maxUses: 1_000, maxCredits: String(10n * flatPrice.credits) })
    expect(tally(await executions(urls, 60, { key: ticket, programId }))).toEqual({ 200: 10, 403: 50 })
  })

  test("open as many WebSockets as they have uses", async () => {
    const ticket = await ticketWith({ maxUses: 3, allow: ["feeds"] })
    const headers = { "sec-websocket-protocol": `sibyl.v1, sibyl.ticket.${ticket}` }
    const dialled = await Promise.all(Array.from({ length: 12 }, (_, at) => dial({ url: `${urls[at % 2] ?? ""}/ws/v1`, headers })))
    const clients = dialled.flatMap(({ client }) => client ?? [])
    expect(clients.length).toBe(3)
    for (const client of clients) await client.until(() => client.messages.find(({ json }) => json["method"] === "authorized"))
    for (const client of clients) await client.bye()
  })

  test("end when their time is over, on both", async () => {
    const ticket = await ticketWith({ maxUses: 1_000, expiresInMs: 5_000, allow: ["read"] })
    expect(await verifies(ticket)).toEqual([200, 200])
    await expect.poll(() => verifies(ticket), { timeout: 30_000 }).toEqual([401, 401])
  })

  test("end with the key that made them", async () => {
    const other = await site.tenant(1_000_000n)
    const ticket = await ticketWith({ maxUses: 1_000, expiresInMs: 3_600_000 }, other.key)
    expect(await verifies(ticket)).toEqual([200, 200])
    await askSibyl(["key", "revoke", other.apiKeyId], { cwd: site.folder })
    await expect.poll(() => verifies(ticket), { timeout: 30_000 }).toEqual([401, 401])
  })
})
