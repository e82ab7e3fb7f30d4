/** An embedder takes granted credits back, also those that another server keeps at hand for its runs. */
import { toWebHandler } from "@sibyl/core"
import { auditPrograms, whyNoPostgres } from "@sibyl/testing"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freshPostgres } from "../testdata/freshPostgres.ts"
import { openSibyl } from "./openSibyl.ts"
import type { Sibyl } from "./sibyl.ts"

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-credits-"))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const kinds = [
  { kind: "SQLite", why: undefined, addressOf: async () => join(folder, "oracle.sqlite") },
  { kind: "PostgreSQL", why: whyNoPostgres, addressOf: async () => (await freshPostgres()).url }
]

const runOn = async ({ service }: Sibyl, key: string, programId: string): Promise<number | undefined> => {
  const body = JSON.stringify({ execProgramId: programId, execInputs: "5" })
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  return (await toWebHandler(service)(new Request("http://service/execute", { method: "POST", headers, body })))?.status
}

for (const { addressOf, kind, why } of kinds) {
  describe.skipIf(why !== undefined)(`${kind}${why === undefined ? "" : ` (${why})`}`, () => {
    it("all that remains is withdrawn while another server has an escrow of it, and no more", async () => {
      const database = await addressOf()
      const [running, other] = [await openSibyl({ database, workers: 1 }), await openSibyl({ database, workers: 1 })]
      const programId = await running.deploy(auditPrograms.echo)
      const { projectId } = await running.createProject({ organizationSlug: "acme" })
      const { key } = await running.issueKey(projectId)
      await running.grant(projectId, 1_000n)
      const statuses = []
      for (let run = 0; run < 8; run += 1) statuses.push(await runOn(running, key, programId))
      expect(statuses).toEqual(Array.from({ length: 8 }, () => 200))
      const { granted, held, used } = await running.grant(projectId, 0n)
      expect({ granted, held }).toEqual({ granted: 1_000n, held: 0n })
      await expect(other.withdraw(projectId, 1_001n - used)).rejects.toMatchObject({ _tag: "InsufficientCredits" })
      expect(await other.withdraw(projectId, 1_000n - used)).toMatchObject({ granted: used, used, held: 0n })
      expect([await runOn(running, key, programId), await runOn(other, key, programId)]).toEqual([403, 403])
      await Promise.all([running.close(), other.close()])
    })
  })
}
