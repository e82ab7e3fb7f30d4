/** The service of B14: everything is real, on a SQLite file, with a program that does almost nothing. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openSibyl } from "@sibyl/server"
import { auditPrograms } from "@sibyl/testing"

/** The service, its program, and this many keys of one project. */
export const openDiskService = async (keyCount) => {
  const folder = mkdtempSync(join(tmpdir(), "sibyl-bench-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  // All feeds are one project's, whose runs would be refused whenever the disk takes longer than 200 of them.
  const limits = { runsPerProject: 10_000 }
  const sibyl = await openSibyl({ database: join(folder, "bench.sqlite"), maxRunsInFlight: 1_000_000, limits })
  const { projectId } = await sibyl.createProject({ organizationSlug: "bench" })
  await sibyl.grant(projectId, 10n ** 18n)
  const programId = await sibyl.deploy(auditPrograms.echo)
  const keys = []
  for (let at = 0; at < keyCount; at += 1) keys.push((await sibyl.issueKey(projectId)).key)
  return { keys, programId, service: sibyl.service }
}
