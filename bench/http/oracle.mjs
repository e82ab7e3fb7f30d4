/** The measured service: everything is real, with a program that does almost nothing. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openSibyl } from "@sibyl/server"
import { auditPrograms } from "@sibyl/testing"

/** The path of a new database file, which is removed when the process ends. */
export const newFile = () => {
  const folder = mkdtempSync(join(tmpdir(), "sibyl-bench-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "bench.sqlite")
}

/** Deploys the program to a new project with plenty of credits; returns a key and the target that runs it. */
const provision = async (oracle) => {
  const { projectId } = await oracle.createProject({ organizationSlug: "bench" })
  await oracle.grant(projectId, 10n ** 18n)
  const programId = await oracle.deploy(auditPrograms.echo)
  return {
    authorization: `Bearer ${(await oracle.issueKey(projectId)).key}`,
    run: `/execute?execProgramId=${programId}&execInputs=bench`
  }
}

/**
 * A running service: the targets that run the program and that return its last result, and a key. By default on a SQLite file of its own;
 * `authorization` and `run` are given if another server has provisioned the database; `options` are those of `openSibyl` beside these.
 */
export const openOracle = async ({ authorization, database = newFile(), options = {}, run } = {}) => {
  const oracle = await openSibyl({ database, workers: 1, ...options })
  const provisioned = authorization === undefined ? await provision(oracle) : { authorization, run }
  return { oracle, ...provisioned, remembered: `${provisioned.run}&returnLastResult=true` }
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
