/** A program's storage, through the real VM and the real service: written by successful runs, separate, replayable. */
import { HttpFetch, type NewProject, toWebHandler } from "@sibyl/core"
import { auditPrograms, type MemoryService, openMemoryService } from "@sibyl/testing"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { buildTimeoutMs } from "./testdata/builtProgram.ts"
import { compileProgram } from "./testdata/compileProgram.ts"
import { storageProbe } from "./testdata/storageProbe.ts"

/** Writes, reads what it wrote, and ends as requested; too much is refused with a reason. */
const writer = `
import { fail, inputFields, setResultText, storageDelete, storageRead, storageWrite } from "../sdk/index"

const fields = inputFields()
const key = new Uint8Array(i32(fields.flagOr("longKey", false) ? 257 : 1))
const value = new Uint8Array(i32(fields.flagOr("longValue", false) ? 1025 : 2))
value[1] = 7
const before = storageRead(key)
storageWrite(key, value)
const seen = storageRead(key)
storageDelete(Uint8Array.wrap(String.UTF8.encode("absent")))
if (fields.flagOr("fail", false)) fail<bool>("on purpose")
const was = before === null ? "none" : before![1].toString()
const now = seen === null ? "none" : seen![1].toString()
setResultText(was + " then " + now)
`

let memory: MemoryService
let counter: string
let other: string
let keys: ReadonlyArray<string>

beforeAll(async () => {
  memory = await openMemoryService(layerProgramRuntime({ workers: 1 }).pipe(Layer.provide(HttpFetch.layerClosed)))
  counter = await memory.deploy(await compileProgram(storageProbe))
  other = await memory.deploy(await compileProgram(writer))
  const made: NewProject = { organizationSlug: "kept" }
  const projects = [await memory.createProject(made), await memory.createProject(made)]
  for (const { projectId } of projects) await memory.grant(projectId, 1_000_000n)
  keys = await Promise.all(projects.map(({ projectId }) => memory.issueKey(projectId)))
}, buildTimeoutMs)

afterAll(() => memory.close())

interface Answer {
  readonly data: { readonly result: string; readonly execute: { readonly stderr: string; readonly exitCode: number } }
}

/** Runs a program with inputs for one of the projects; the tally returns the reveal. */
const run = async (execProgramId: string, execInputs: unknown, project = 0): Promise<Answer["data"]> => {
  const handle = toWebHandler(memory.service)
  const tallyProgramId = await memory.deploy(auditPrograms.echo)
  const body = JSON.stringify({ execProgramId, tallyProgramId, execInputs, encoding: "utf8", includeDebugInfo: true })
  const headers = { authorization: `Bearer ${keys[project] ?? ""}`, "content-type": "application/json" }
  const response = await handle(new Request("http://service/execute", { method: "POST", headers, body }))
  if (response === undefined) throw new Error("no answer")
  return ((await response.json()) as Answer).data
}

/** The result of the execution phase. */
const counted = async (inputs: unknown, project = 0): Promise<string> => {
  const data = await run(counter, inputs, project)
  return (data.execute as unknown as { readonly result: string }).result
}

test("a program reads what its last successful run stored, separately for each project", async () => {
  expect([await counted({}), await counted({}), await counted({})]).toEqual(["0", "1", "2"])
  expect([await counted({}, 1), await counted({}, 1)]).toEqual(["0", "1"])
  expect([await counted({ forget: true }), await counted({}), await counted({})]).toEqual(["3", "0", "1"])
})

test("a run sees its own writes", async () => {
  const { execute } = await run(other, {})
  expect(execute).toMatchObject({ exitCode: 0, result: "none then 7" })
})

test("what a failed run wrote is discarded", async () => {
  const { execute } = await run(other, { fail: true }, 1)
  expect(execute).toMatchObject({ exitCode: 1, stderr: "on purpose\n" })
  expect((await run(other, {}, 1)).execute).toMatchObject({ exitCode: 0, result: "none then 7" })
  expect((await run(other, {}, 1)).execute).toMatchObject({ exitCode: 0, result: "7 then 7" })
})

test.each([
  ["longKey", "storage: a storage key has at most 256 bytes\n"],
  ["longValue", "storage: a storage value has at most 1024 bytes\n"]
])("%s is refused with a text that the program can read", async (field, stderr) => {
  expect((await run(other, { [field]: true })).execute).toMatchObject({ exitCode: 1, stderr })
})
