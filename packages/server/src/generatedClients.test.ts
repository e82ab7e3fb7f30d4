/** Usual generators make clients from the documents of a running service; they compile strictly, and their calls are answered. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { auditPrograms } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { clientPrograms } from "./testdata/clientPrograms.ts"
import { compileStrictly, generateClients, parseAsyncApi, runProgram } from "./testdata/generatedClients.ts"
import { OperatedServer } from "./testdata/operatedServer.ts"

let folder: string
let server: OperatedServer
let key: string
const programs = { echo: "", failing: "" }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-clients-"))
  server = await OperatedServer.start("node", "serve")
  const { oracle, provisioner } = server
  programs.echo = await oracle.deploy(auditPrograms.echo)
  programs.failing = await oracle.deploy(auditPrograms.failing)
  const { projectId } = await oracle.createProject({ organizationSlug: "acme" })
  await oracle.grant(projectId, 1_000_000n)
  key = await provisioner.issueKey(projectId)
  await generateClients(folder, server.url)
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const call = (name: keyof typeof clientPrograms, programId: string) => runProgram(folder, name, server.url, key, programId)

test("the parser of AsyncAPI finds no fault in the document", async () => {
  const text = await (await fetch(`${server.url}/docs/asyncapi.json`)).text()
  const { faults, messages } = await parseAsyncApi(text)
  expect(faults).toEqual([])
  expect(messages).toEqual(expect.arrayContaining(["ExecuteRequest", "FeedStartRequest", "FeedResult", "ErrorReply"]))
  const broken = await parseAsyncApi(text.replaceAll(`"#/channels/feeds"`, `"#/channels/feed"`))
  expect(broken.faults.length).toBeGreaterThan(0)
})

test("what the generators make compiles strictly with programs that use it, and tells right from wrong", async () => {
  expect(await compileStrictly(folder, clientPrograms)).toBe("")
  const wrong = `import type { FeedResult } from "./messages.ts"\nexport const seq = (message: FeedResult): string => message.params.seq\n`
  expect(await compileStrictly(folder, { "wrong.ts": wrong })).toContain("Type 'number' is not assignable to type 'string'")
})

test("a client from the OpenAPI document runs a program, asks for a quote, and knows a refusal", async () => {
  expect(await call("fetch.ts", programs.echo)).toEqual({
    result: { sum: [1, "two"] },
    exitCode: 0,
    creditsUsed: expect.stringMatching(/^[1-9][0-9]*$/),
    affordable: true,
    requestId: expect.any(String)
  })
})

test("functions from the OpenAPI document answer a failed run by its own type", async () => {
  expect(await call("sdk.ts", programs.failing)).toEqual({
    organizationSlug: "acme",
    status: 599,
    message: "The execution phase ended with exit code 3.",
    stderr: expect.stringContaining("boom")
  })
})

test("a client with the types of the AsyncAPI document runs a program and a feed", async () => {
  expect(await call("socket.ts", programs.echo)).toEqual(["acme", ["once"], "0x01", "0x01", "0x01", "FeedNotFound"])
})
