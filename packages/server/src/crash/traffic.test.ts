/** The real server on SQLite conforms under any traffic over sockets, with kill -9 and a new start as one of the commands. */
import { askingProgram, auditPrograms, conforms, type PlayedSequence, type TrafficTarget } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { spawnSibyl } from "../testdata/runSibyl.ts"
import { FailingUpstream } from "./testdata/failingUpstream.ts"
import { type RunningServer, Site, type Tenant } from "./testdata/site.ts"

const numRuns = soakCount({ everyday: 3, full: 120 })

/** Projects for the sequences into which one that fails is shrunk. */
const shrinkings = 12

let site: Site
let upstream: FailingUpstream
let server: RunningServer
let target: TrafficTarget
const kills: Array<number> = []

/** Every project is made before the first start, while no server has the file. */
const makeTenants = async (): Promise<Array<Tenant>> => {
  const tenants: Array<Tenant> = []
  for (let made = 0; made < numRuns + shrinkings; made += 1) tenants.push(await site.tenant(1_000_000n), await site.tenant(700n))
  return tenants
}

const start = async (): Promise<void> => {
  server = await site.start()
}

beforeAll(async () => {
  upstream = await FailingUpstream.open()
  site = await Site.open("SQLite", { outbound: upstream.outbound })
  for (const program of Object.values(auditPrograms)) await site.deploy(program)
  const programId = await site.deploy(askingProgram)
  const tenants = await makeTenants()
  const known = new Map(tenants.map(({ apiKeyId, key }) => [key, apiKeyId]))
  await start()
  target = {
    get baseUrl() {
      return server.url
    },
    operator: {
      makeKey: async ({ credits }) => {
        const at = tenants.findIndex((_, index) => (index % 2 === 0) === (credits === 1_000_000n))
        const [tenant] = tenants.splice(at, 1)
        // When shrinking has used up all projects, it ends there, with the failure that it has found.
        fc.pre(tenant !== undefined)
        return tenant.key
      },
      revokeKey: async (key) => {
        const said = await spawnSibyl(["key", "revoke", known.get(key) ?? ""], { cwd: site.folder })
        if (said.code !== 0) throw new Error(said.stderr)
      }
    },
    upstream: { programId, fail: () => upstream.set(false), recover: () => upstream.set(true) },
    crash: async () => {
      kills.push(server.process.pid)
      await server.process.stop("SIGKILL")
      await start()
    }
  }
})

afterAll(async () => {
  await site?.close()
  await upstream?.close()
})

test(`${numRuns} sequences`, { timeout: 120_000 + numRuns * 60_000 }, async () => {
  const answered: Array<number> = []
  const onSequence = ({ history }: PlayedSequence): void => {
    for (const { answer } of history.calls) if (answer !== undefined) answered.push(answer.status)
  }
  await fc.assert(conforms(target, { maxCommands: 15, onSequence }), {
    numRuns,
    // One that kills the server while a run is under way, whatever the others are.
    examples: [
      [
        [
          {
            kind: "ask",
            who: { tenant: 0, key: 0 },
            method: "GET",
            path: "/execute",
            query: [
              ["execProgramId", "«program echo»"],
              ["execInputs", "a"]
            ],
            headers: {},
            body: undefined,
            waits: false
          },
          {
            kind: "request",
            socket: 0,
            method: "feed.start",
            params: '{"execute":{"execProgramId":"«program asking»"},"periodicityMs":60,"mode":"FIXED"}',
            waits: true
          },
          { kind: "pass", ms: 250 },
          { kind: "crash" },
          { kind: "revoke", tenant: 1, key: 0 }
        ]
      ]
    ]
  })
  expect(kills.length).toBeGreaterThan(0)
  expect(answered).toContain(200)
})
