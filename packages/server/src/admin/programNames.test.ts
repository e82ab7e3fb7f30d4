/** Program names by command line and for embedders: given, listed with their history, removed, on allow-lists. */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openSibyl } from "../service/openSibyl.ts"
import { askSibyl, runSibyl } from "../testdata/runSibyl.ts"

const wasm = (name: string): string => createRequire(import.meta.url).resolve(`@sibyl/programs/${name}.wasm`)

/** Time for about fifteen processes in sequence. */
const limitMs = 300_000

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-names-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

type Document = Readonly<Record<string, unknown>>

const ask = async (...args: ReadonlyArray<string>): Promise<Document> => (await askSibyl(args, { cwd: folder })) as Document

const refusal = async (...args: ReadonlyArray<string>) => {
  const { code, stderr } = await runSibyl([...args, "--json"], { cwd: folder })
  return [code, (JSON.parse(stderr) as Document)["message"]]
}

test(
  "an operator names programs, lists current and past names, and puts names on allow-lists",
  async () => {
    const { programId: first } = await ask("program", "deploy", wasm("crypto-price"))
    const { programId: second } = await ask("program", "deploy", wasm("metals-index"))
    const { projectId } = await ask("project", "create", "--org", "acme")
    const name = "v1.prices.acme"
    const given = await ask("program", "name", name, `0x${String(first)}`)
    expect(given).toMatchObject({ name, programId: first, projectId: null, since: expect.stringMatching(/^20/) as string })
    await ask("program", "name", name, String(second), "--project", String(projectId))
    const meanings = [
      { name, programId: first, projectId: null },
      { name, programId: second, projectId }
    ]
    expect((await ask("program", "names"))["names"]).toMatchObject(meanings)
    expect((await ask("program", "list"))["programs"]).toMatchObject([
      { programId: first, names: [{ name, projectId: null }] },
      { programId: second, names: [{ name, projectId }] }
    ])
    expect(await ask("program", "show", name)).toMatchObject({ programId: first })
    const updated = await ask("project", "update", String(projectId), "--allow", name)
    expect(updated["allowedPrograms"]).toEqual([second])
    expect(await ask("program", "unname", name, "--project", String(projectId))).toMatchObject({ name, projectId, removed: true })
    await ask("program", "name", name, String(second))
    expect((await ask("program", "names"))["names"]).toMatchObject([{ name, programId: second, projectId: null }])
    expect((await ask("program", "names", "--history"))["names"]).toMatchObject([
      { programId: first, projectId: null },
      { programId: second, projectId: null },
      { programId: second, projectId },
      { programId: null, projectId }
    ])
  },
  limitMs
)

test(
  "an invalid name, a missing program and a missing project are refused in one line",
  async () => {
    const { programId } = await ask("program", "deploy", wasm("crypto-price"))
    const noProject = "00000000-0000-4000-8000-000000000000"
    expect(await refusal("program", "name", "Prices", String(programId))).toEqual([
      2,
      expect.stringMatching(/^<name> must be two or more labels/)
    ])
    expect(await refusal("program", "name", "v1.x", "ab".repeat(32))).toEqual([1, expect.stringMatching(/^there is no program ab/)])
    expect(await refusal("program", "name", "v1.x", String(programId), "--project", noProject)).toEqual([
      1,
      `there is no project ${noProject}`
    ])
    expect(await refusal("program", "unname", "v1.x")).toEqual([1, "no program has the name v1.x for every project"])
    expect(await refusal("project", "create", "--org", "acme", "--allow", "v1.x")).toEqual([1, "no program has the name v1.x"])
    expect(await refusal("project", "create", "--org", "acme", "--allow", "prices")).toEqual([
      2,
      expect.stringMatching(/^--allow must be 64 hex characters, .* or a program's name/)
    ])
  },
  limitMs
)

test("an embedder names programs, and a name resolves immediately", async () => {
  const oracle = await openSibyl({ database: join(folder, "embedded.sqlite"), workers: 1 })
  try {
    const programId = await oracle.deploy(await readFile(wasm("crypto-price")))
    const { projectId } = await oracle.createProject({ organizationSlug: "acme" })
    const { key } = await oracle.issueKey(projectId)
    const programIds = { missing: "ab".repeat(32), none: "not an id" }
    for (const missing of Object.values(programIds)) {
      const refusal = { _tag: "ProgramNotDeployed", programId: missing, message: expect.stringContaining("there is no program") }
      await expect(oracle.nameProgram("v1.prices", missing)).rejects.toMatchObject(refusal)
    }
    await expect(oracle.nameProgram("Prices", programId)).rejects.toMatchObject({ _tag: "InvalidSetting", field: "name" })
    const noProject = "00000000-0000-4000-8000-000000000000"
    await expect(oracle.nameProgram("v1.prices", programId, noProject)).rejects.toMatchObject({ _tag: "ProjectNotFound" })
    const ask = (path: string) =>
      oracle.service.fetch({
        method: "GET",
        url: path,
        header: (name) => (name === "authorization" ? `Bearer ${key}` : undefined),
        body: () => Promise.resolve(new Uint8Array())
      })
    const quoted = "/execute?execProgramId=v1.prices&dryRun=true"
    expect((await ask(quoted))?.status).toBe(404)
    expect(await oracle.nameProgram("v1.prices", programId, projectId)).toMatchObject({ owner: projectId, programId })
    expect((await ask(quoted))?.status).toBe(200)
    expect(String((await ask("/programs"))?.body)).toContain(`"programId":"${programId}"`)
  } finally {
    await oracle.close()
  }
})
