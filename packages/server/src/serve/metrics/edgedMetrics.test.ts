/** Metrics of a server of several processes: one scrape tells what all of them have done. */
import { auditPrograms } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, Site, type Tenant } from "../../crash/testdata/site.ts"
import { executions, flatPrice } from "../../crash/testdata/flatPrice.ts"

let site: Site
let server: RunningServer
let tenant: Tenant
let programId: string
let metricsUrl: string

beforeAll(async () => {
  site = await Site.open("SQLite", { ...flatPrice.configuration, workers: 2, edges: 2, metrics: { access: "open", port: 0 } })
  programId = await site.deploy(auditPrograms.echo)
  tenant = await site.tenant(1_000n)
  server = await site.start()
  const [, found = ""] = await server.process.until(/"metrics": ?"([^"]+)"/)
  metricsUrl = found
})
afterAll(() => site.close())

const scraped = async (name: string): Promise<number> => {
  const text = await (await fetch(metricsUrl)).text()
  const line = text.split("\n").find((one) => one.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1))
}

test("the runs of all edges add up, on a port of their own, and the service's port tells nothing", async () => {
  const answers = await executions([server.url], 40, { key: tenant.key, programId })
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  // On a busy machine a scrape may be without an edge that is only late, and then has less; never more.
  const all = { timeout: 60_000 }
  await expect.poll(() => scraped(`sibyl_runs_total{outcome="success",program="${programId}"}`), all).toBe(40)
  await expect.poll(() => scraped("sibyl_credits_posted_total"), all).toBe(40 * Number(flatPrice.credits))
  await expect.poll(() => scraped("sibyl_workers_ready"), all).toBe(2)
  const beside = await fetch(`${server.url}/metrics`)
  expect(beside.status).toBe(404)
})
