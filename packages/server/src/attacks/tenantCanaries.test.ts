/** Two tenants of one started server with one worker: what one has sent stands in no answer to the other, in no cache of it, and in no log. */
import { auditPrograms } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ownRuntime } from "../crash/testdata/site.ts"
import { OperatedServer } from "../testdata/operatedServer.ts"

const turns = soakCount({ everyday: 20, full: 250 })

interface Tenant {
  readonly key: string
  readonly projectId: string
  /** In everything that the tenant sends. */
  readonly canary: string
  /** Everything that it was answered, with headers. */
  readonly answers: Array<string>
  /** The ids of its runs. */
  readonly ids: Array<string>
}

/** Its canary in the forms in which a service shows bytes, and its key. */
const sentBy = ({ canary, key }: Tenant): ReadonlyArray<string> => {
  const bytes = Buffer.from(canary)
  // The last characters of base64 depend on what follows.
  return [canary, bytes.toString("hex"), bytes.toString("base64").slice(0, 40), key]
}

/** Everything by which a tenant or its runs are known. */
const marksOf = (tenant: Tenant): ReadonlyArray<string> => [...sentBy(tenant), tenant.projectId, ...tenant.ids]

const marksIn = (text: string, marks: ReadonlyArray<string>): ReadonlyArray<string> => marks.filter((mark) => text.includes(mark))

interface Told {
  readonly status: number
  readonly text: string
}

describe.each(["process", "thread"] as const)("tenants in turn on one worker, a %s", (isolation) => {
  let server: OperatedServer
  let tenants: ReadonlyArray<Tenant>
  const programs: Record<string, string> = {}
  /** Of a request that both have made. */
  let sharedDrId = ""

  beforeAll(async () => {
    const settings = [`isolation=${isolation}`, "workers=1", "logLevel=debug", "keepRecordings=true", "metrics.access=open"]
    server = await OperatedServer.start(ownRuntime, "serve", ...settings.flatMap((setting) => ["--set", setting]))
    for (const name of ["echo", "environment", "printing", "failing", "trapping"] as const) {
      programs[name] = await server.provisioner.deploy(auditPrograms[name])
    }
    const tenantOf = async (name: string): Promise<Tenant> => {
      const { projectId } = await server.provisioner.createProject({ organizationSlug: "canaries" })
      await server.provisioner.grant(projectId, 1_000_000_000n)
      const key = await server.provisioner.issueKey(projectId)
      return { key, projectId, canary: `canary-${name}-${crypto.randomUUID()}`, answers: [], ids: [] }
    }
    tenants = [await tenantOf("one"), await tenantOf("other")]
  })
  afterAll(() => server.close())

  const told = async (tenant: Tenant, path: string, json?: object, headers: Readonly<Record<string, string>> = {}): Promise<Told> => {
    const response = await fetch(`${server.url}${path}`, {
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
      headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json", ...headers }
    })
    const text = await response.text()
    tenant.answers.push([...response.headers].map((pair) => pair.join(": ")).join("\n") + text)
    return { status: response.status, text }
  }

  /** Runs of a tenant with its canary in every input, as text and as hex; the same idempotency keys and inputs of every tenant beside them. */
  const turnOf = async (tenant: Tenant, turn: number): Promise<void> => {
    const inputs = `${tenant.canary} ${turn}`
    for (const [name, execProgramId] of Object.entries(programs)) {
      const marked = {
        execProgramId,
        execInputs: inputs,
        tallyInputs: inputs,
        memo: Buffer.from(inputs).toString("hex"),
        includeDebugInfo: true
      }
      const own = await told(tenant, "/execute", marked, { "idempotency-key": `${name}-${turn}` })
      expect([200, 599]).toContain(own.status)
      const id = /"id":"([0-9a-f-]{36})"/.exec(own.text)?.[1]
      if (id !== undefined) tenant.ids.push(id)
      // The same request of everybody: what is remembered of one must not be the answer to the other.
      const shared = await told(tenant, "/execute", { execProgramId, execInputs: `shared ${turn}`, includeDebugInfo: true })
      sharedDrId = /"drId":"([0-9a-f]{64})"/.exec(shared.text)?.[1] ?? sharedDrId
      const sharedId = /"id":"([0-9a-f-]{36})"/.exec(shared.text)?.[1]
      if (sharedId !== undefined) tenant.ids.push(sharedId)
    }
  }

  it(`${turns} turns each: no answer, no record, no metric and no log line has what is another's`, { timeout: 600_000 }, async () => {
    for (let turn = 0; turn < turns; turn += 1) for (const tenant of tenants) await turnOf(tenant, turn)
    const [one, other] = tenants as readonly [Tenant, Tenant]
    expect(one.ids.length).toBeGreaterThanOrEqual(turns * 4)
    for (const [tenant, foreign] of [[one, other] as const, [other, one] as const]) {
      const [foreignId = ""] = foreign.ids
      // Not kept among the answers: it repeats the id that was asked for.
      const foreignRun = await fetch(`${server.url}/executions/${foreignId}/recording`, {
        headers: { authorization: `Bearer ${tenant.key}` }
      })
      expect(foreignRun.status).toBe(404)
      expect((await told(tenant, `/executions/${tenant.ids[0]}/recording`)).status).toBe(200)
      const marked = { execProgramId: programs["echo"], execInputs: `${foreign.canary} 0`, tallyInputs: `${foreign.canary} 0` }
      const asked = await fetch(`${server.url}/execute/last-result`, {
        method: "POST",
        headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
        body: JSON.stringify({ ...marked, memo: Buffer.from(`${foreign.canary} 0`).toString("hex") })
      })
      expect(asked.status).toBe(404)
      for (const path of [
        `/data-request-reports?drId=${sharedDrId}`,
        "/project",
        "/keys",
        "/programs",
        `/programs/${programs["echo"]}`,
        "/verify",
        "/info"
      ]) {
        expect((await told(tenant, path)).status, path).toBe(200)
      }
    }
    // Before the search, which takes longer than an idle connection is kept.
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    // What a tenant sent does come back to it, so this search can find something.
    for (const tenant of tenants)
      expect(tenant.answers.filter((answer) => marksIn(answer, sentBy(tenant)).length > 0).length).toBeGreaterThan(turns)
    for (const [tenant, foreign] of [[one, other] as const, [other, one] as const]) {
      expect(tenant.answers.flatMap((answer) => marksIn(answer, marksOf(foreign)))).toEqual([])
    }
    expect(tenants.flatMap((tenant) => marksIn(metrics, marksOf(tenant)))).toEqual([])
    const lines = server.process.output.split("\n")
    expect(lines.filter((line) => line.includes(`"project_id":"${one.projectId}"`)).length).toBeGreaterThan(turns)
    expect(lines.filter((line) => marksIn(line, tenants.flatMap(sentBy)).length > 0)).toEqual([])
    expect(
      lines.filter((line) => line.includes(one.projectId) && (line.includes(other.projectId) || other.ids.some((id) => line.includes(id))))
    ).toEqual([])
  })
})
