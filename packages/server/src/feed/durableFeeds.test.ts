/** `sibyl feeds` against a real server: a feed is added, listed, shown and removed with the project's key. */
import { auditPrograms } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, Site, type Tenant } from "../crash/testdata/site.ts"
import { askSibyl, runSibyl } from "../testdata/runSibyl.ts"

let site: Site
let server: RunningServer
let tenant: Tenant
let programId: string

beforeAll(async () => {
  site = await Site.open("SQLite")
  programId = await site.deploy(auditPrograms.echo)
  tenant = await site.tenant(1_000_000n)
  server = await site.start()
}, 120_000)
afterAll(() => site.close(), 60_000)

const options = () => ({ cwd: site.folder, env: { SIBYL_KEY: tenant.key, SIBYL_URL: server.url } })

test("sibyl feeds create, list, show and remove do what they say", async () => {
  const create = ["feeds", "create", "--program", programId, "--inputs", "by command", "--mode", "SEQUENTIAL", "--period", "50"]
  const added = (await askSibyl(create, options())) as { readonly feedId: string }
  expect(added).toMatchObject({ mode: "SEQUENTIAL", periodicityMs: 50, execute: { execProgramId: programId, execInputs: "by command" } })
  const { feedId } = added
  expect(await askSibyl(["feeds", "list"], options())).toMatchObject({ data: [{ feedId }] })
  const listed = await runSibyl(["feeds", "list"], options())
  expect(listed.stdout).toContain(feedId)
  await expect
    .poll(() => askSibyl(["feeds", "show", feedId], options()), { timeout: 20_000 })
    .toMatchObject({
      hasOwner: true,
      lastFailure: null,
      lastResultAt: expect.any(String)
    })
  const shown = await runSibyl(["feeds", "show", feedId], options())
  expect(shown.stdout).toMatch(/^running +yes$/m)
  expect(await askSibyl(["feeds", "remove", feedId], options())).toEqual({ feedId })
  expect(await askSibyl(["feeds", "list"], options())).toEqual({ data: [] })
}, 120_000)

test("what the server refuses, and a server that is not there, end with 1 and say why, without the key", async () => {
  const unknown = await runSibyl(["feeds", "show", "0199c1f0-7d3e-7a52-8c1b-4e5f60718293"], options())
  expect(unknown).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("no feed with this id") })
  const tooFast = await runSibyl(["feeds", "create", "--program", programId, "--period", "1"], options())
  expect(tooFast).toMatchObject({ code: 1, stderr: expect.stringContaining("periodicityMs") })
  const nobody = await runSibyl(["feeds", "list", "--url", "http://127.0.0.1:1"], options())
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining("no Sibyl answers at http://127.0.0.1:1/feeds") })
  for (const { stderr } of [unknown, tooFast, nobody]) expect(stderr).not.toContain(tenant.key)
}, 60_000)
