/** What a Sibyl that was closed says. */
import { expect, it } from "vitest"
import { openSibyl } from "./openSibyl.ts"
import { SibylClosed } from "./sibyl.ts"

it("rejects with SibylClosed, and may be closed again", async () => {
  const sibyl = await openSibyl({ database: "sqlite::memory:", workers: 1 })
  const { projectId } = await sibyl.createProject({ organizationSlug: "acme" })
  await sibyl.close()
  const calls: ReadonlyArray<() => Promise<unknown>> = [
    () => sibyl.deploy(Uint8Array.of(0)),
    () => sibyl.createProject({ organizationSlug: "acme" }),
    () => sibyl.ensureProject({ organizationSlug: "acme", keyFile: "/nowhere/key" }),
    () => sibyl.issueKey(projectId),
    () => sibyl.grant(projectId, 1n),
    () => sibyl.nameProgram("v1.prices", "ab".repeat(32))
  ]
  for (const call of calls) await expect(call()).rejects.toBeInstanceOf(SibylClosed)
  await expect(sibyl.close()).resolves.toBeUndefined()
})
