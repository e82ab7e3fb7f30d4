/** A durable feed of a server with edges on one file: one edge runs it, and every edge sends it to its followers. */
import { auditPrograms, dial, type WireClient } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, Site, type Tenant } from "../../crash/testdata/site.ts"

/** Twenty runs take a second; the test allows much more. */
const withinMs = 30_000

let site: Site
let server: RunningServer
let tenant: Tenant
let programId: string

beforeAll(async () => {
  site = await Site.open("SQLite", { edges: 2, workers: 2 })
  programId = await site.deploy(auditPrograms.echo)
  tenant = await site.tenant(1_000_000n)
  server = await site.start()
})
afterAll(() => site.close())

const seqsOf = (client: WireClient): ReadonlyArray<number> =>
  client.messages.filter(({ json }) => json["method"] === "feed.result").map(({ json }) => (json["params"] as { readonly seq: number }).seq)

test("is followed over every edge, without gap or repeat", async () => {
  const headers = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" }
  const body = JSON.stringify({ execute: { execProgramId: programId }, mode: "FIXED", periodicityMs: 50 })
  const added = await fetch(`${server.url}/feeds`, { method: "POST", headers, body })
  const { feedId } = (await added.json()) as { readonly feedId: string }
  const clients: Array<WireClient> = []
  // Connections go to the edges in turn, or as Linux spreads them.
  for (let at = 0; at < 4; at += 1) {
    const { client } = await dial({ url: `${server.url}/ws/v1`, headers: { authorization: headers.authorization } })
    if (client === undefined) throw new Error("the upgrade was refused")
    client.sendText(JSON.stringify({ jsonrpc: "2.0", id: "1", method: "feed.follow", params: { feedId, after: { epoch: 0, seq: 0 } } }))
    clients.push(client)
  }
  for (const client of clients) {
    await client.until(() => (seqsOf(client).length >= 20 ? true : undefined), withinMs)
    expect(seqsOf(client)).toEqual(seqsOf(client).map((_, at) => at))
  }
})
