/** `sibyl feeds` against a real server: a feed is added, listed, shown, followed and removed with the project's key. */
import { auditPrograms } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ownRuntime, type RunningServer, Site, type Tenant } from "../crash/testdata/site.ts"
import { askSibyl, runSibyl } from "../testdata/runSibyl.ts"
import { StartedServer } from "../testdata/startedServer.ts"

let site: Site
let server: RunningServer
let tenant: Tenant
let programId: string

beforeAll(async () => {
  site = await Site.open("SQLite")
  programId = await site.deploy(auditPrograms.echo)
  tenant = await site.tenant(1_000_000n)
  server = await site.start()
})
afterAll(() => site.close())

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
    .poll(() => askSibyl(["feeds", "show", feedId], options()))
    .toMatchObject({
      hasOwner: true,
      lastFailure: null,
      lastResultAt: expect.any(String)
    })
  const shown = await runSibyl(["feeds", "show", feedId], options())
  expect(shown.stdout).toMatch(/^running +yes$/m)
  expect(await askSibyl(["feeds", "remove", feedId], options())).toEqual({ feedId })
  expect(await askSibyl(["feeds", "list"], options())).toEqual({ data: [] })
})

test("what the server refuses, and a server that is not there, are told in one line, without the key", async () => {
  const unknown = await runSibyl(["feeds", "show", "0199c1f0-7d3e-7a52-8c1b-4e5f60718293"], options())
  expect(unknown).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("no feed with this id") })
  const tooFast = await runSibyl(["feeds", "create", "--program", programId, "--period", "1"], options())
  expect(tooFast).toMatchObject({ code: 2, stderr: "sibyl: --period must be a whole number from 10 to 86400000\n" })
  const nobody = await runSibyl(["feeds", "list", "--url", "http://127.0.0.1:1"], options())
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining("no Sibyl answers at http://127.0.0.1:1/feeds") })
  for (const { stderr } of [unknown, tooFast, nobody]) expect(stderr).not.toContain(tenant.key)
})

test("sibyl feeds follow prints results, goes on after a place, and says how to when the connection ends", async () => {
  const { feedId } = (await askSibyl(["feeds", "create", "--program", programId, "--inputs", "6", "--period", "50"], options())) as {
    readonly feedId: string
  }
  const follow = async (...args: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await runSibyl(["feeds", "follow", feedId, ...args], options())
    const lines = stdout.split("\n").filter((line) => line !== "")
    return { code, stderr, lines }
  }
  const placesOf = (lines: ReadonlyArray<string>) =>
    lines.map((line) => {
      const { epoch, feedId: of, result, seq } = JSON.parse(line) as { epoch: number; feedId: string; seq: number; result: object }
      expect(of).toBe(feedId)
      expect(result).toMatchObject({ data: { result: "0x36" } })
      return { epoch, seq }
    })
  const first = await follow("--count", "3", "--json")
  expect(first).toMatchObject({ code: 0, stderr: "" })
  const places = placesOf(first.lines)
  const [begin = { epoch: 0, seq: 0 }] = places
  expect(places).toEqual([0, 1, 2].map((more) => ({ epoch: begin.epoch, seq: begin.seq + more })))
  const again = await follow("--after", `${begin.epoch}:${begin.seq}`, "--count", "4", "--json")
  expect(placesOf(again.lines)).toEqual([1, 2, 3, 4].map((more) => ({ epoch: begin.epoch, seq: begin.seq + more })))
  const shown = await follow("--after", `${begin.epoch}:${begin.seq}`, "--count", "2")
  expect(shown.lines.slice(-2).map((line) => /FIXED +#(\d+) /.exec(line)?.[1])).toEqual([1, 2].map((more) => `${begin.seq + more}`))
  // Runs of an epoch that was never there are not kept.
  const gap = await follow("--after", "1:5", "--count", "1", "--json")
  expect(JSON.parse(gap.lines[0] ?? "")).toMatchObject({ feedId, why: expect.any(String) })
  expect(await follow("--after", "yesterday")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--after must be a place, EPOCH:SEQ")
  })
  expect(await follow("--count", "0")).toMatchObject({ code: 2, stderr: expect.stringContaining("--count must be 1 or more") })
  const cutOff = new StartedServer(ownRuntime, ["feeds", "follow", feedId], site.folder, options().env)
  await cutOff.until(/#\d+ /)
  // The last test: nobody needs the server after it.
  await server.process.stop("SIGKILL")
  expect((await cutOff.exit).code).toBe(1)
  expect(cutOff.output).toMatch(/the connection was closed with 1006: .*; --after \d+:\d+ goes on from there/)
})
