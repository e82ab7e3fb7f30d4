/** The measured service: everything is real, on a SQLite file, with a program that does almost nothing. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openSibyl } from "@sibyl/server"
import { auditPrograms } from "@sibyl/testing"

/** A running service with one stored result: the targets that run it and that return it, and a key. */
export const openOracle = async () => {
  const folder = mkdtempSync(join(tmpdir(), "sibyl-bench-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  const oracle = await openSibyl({ database: join(folder, "bench.sqlite"), workers: 1 })
  const { projectId } = await oracle.createProject({ organizationSlug: "bench" })
  await oracle.grant(projectId, 10n ** 18n)
  const authorization = `Bearer ${(await oracle.issueKey(projectId)).key}`
  const programId = await oracle.deploy(auditPrograms.echo)
  const run = `/execute?execProgramId=${programId}&execInputs=bench`
  return { oracle, authorization, run, remembered: `${run}&returnLastResult=true` }
}

/** A request as an adapter would pass it to the service. */
export const seamRequest = (url, authorization) => ({
  method: "GET",
  url,
  header: (name) => (name === "authorization" ? authorization : undefined),
  body: async () => new Uint8Array()
})

/** Runs once; returns the response. */
export const runOnce = async ({ authorization, oracle, run }) => {
  const response = await oracle.service.fetch(seamRequest(run, authorization))
  if (response?.status !== 200) throw new Error(`the run failed: ${response?.body}`)
  return response
}
