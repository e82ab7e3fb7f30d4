/** An embedder's keys: issued with the id that rotates and revokes them. */
import { toWebHandler } from "@sibyl/core"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openSibyl } from "./openSibyl.ts"
import type { Sibyl } from "./sibyl.ts"

let folder: string
let sibyl: Sibyl

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-keys-"))
  sibyl = await openSibyl({ database: join(folder, "oracle.sqlite"), workers: 1 })
})

afterAll(async () => {
  await sibyl.close()
  await rm(folder, { recursive: true, force: true })
})

const statusWith = async (key: string): Promise<number | undefined> => {
  const request = new Request("http://service/verify", { headers: { authorization: `Bearer ${key}` } })
  return (await toWebHandler(sibyl.service)(request))?.status
}

test("a key is rotated and revoked by the id returned with it", async () => {
  const { projectId } = await sibyl.createProject({ organizationSlug: "acme" })
  const first = await sibyl.issueKey(projectId, { name: "backend" })
  const second = await sibyl.rotateKey(first.apiKeyId, { overlapMs: 3_600_000 })
  expect(second.apiKeyId).not.toBe(first.apiKeyId)
  expect([await statusWith(first.key), await statusWith(second.key)]).toEqual([200, 200])
  const third = await sibyl.rotateKey(second.apiKeyId, { overlapMs: 0 })
  expect([await statusWith(second.key), await statusWith(third.key)]).toEqual([401, 200])
  await sibyl.revokeKey(third.apiKeyId)
  expect(await statusWith(third.key)).toBe(401)
})

test("a key that cannot be rotated or revoked is a typed error", async () => {
  const { projectId } = await sibyl.createProject({ organizationSlug: "acme" })
  const { apiKeyId } = await sibyl.issueKey(projectId)
  await sibyl.revokeKey(apiKeyId)
  await expect(sibyl.rotateKey(apiKeyId, { overlapMs: 0 })).rejects.toMatchObject({ _tag: "KeyEnded", apiKeyId })
  await expect(sibyl.rotateKey("0".repeat(16), { overlapMs: 0 })).rejects.toMatchObject({ _tag: "KeyNotFound" })
  await expect(sibyl.revokeKey("0".repeat(16))).rejects.toMatchObject({ _tag: "KeyNotFound" })
  await expect(sibyl.issueKey(projectId, { expiresAtMs: 1 })).rejects.toMatchObject({ _tag: "InvalidSetting" })
})
