/** An embedder's own clock, whose milliseconds may have fractions: columns of stores and signed timestamps are whole. */
import { programBytes } from "@sibyl/programs"
import { toWebHandler } from "@sibyl/core"
import { Clock, Effect, Layer } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openSibyl } from "./openSibyl.ts"

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "sibyl-clock-"))))
afterAll(() => rm(folder, { recursive: true, force: true }))

const preciseClock = (): Clock.Clock => {
  const real = Clock.make()
  const now = () => Math.floor(real.unsafeCurrentTimeMillis()) + 0.25
  return Object.assign(Object.create(real) as Clock.Clock, { unsafeCurrentTimeMillis: now, currentTimeMillis: Effect.sync(now) })
}

test("opens, makes projects and keys, and runs programs by a clock with fractions of milliseconds", async () => {
  const sibyl = await openSibyl({ database: join(folder, "oracle.sqlite"), workers: 1, observing: Layer.setClock(preciseClock()) })
  const programId = await sibyl.deploy(await programBytes("crypto-price"))
  const { projectId } = await sibyl.createProject({ organizationSlug: "acme" })
  await sibyl.grant(projectId, 1_000n)
  const { apiKeyId, key } = await sibyl.issueKey(projectId)
  const request = new Request(`http://service/execute?execProgramId=${programId}`, { headers: { authorization: `Bearer ${key}` } })
  // Without inputs the program fails by itself, before it asks anybody.
  expect((await toWebHandler(sibyl.service)(request))?.status).toBe(599)
  await sibyl.revokeKey(apiKeyId)
  await sibyl.close()
})
