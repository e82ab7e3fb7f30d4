/** The operator's file: a module or JSON, and what is refused. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { fileReason } from "./fileReason.ts"
import { readOperatorFile } from "./operatorFile.ts"

const id = "ab".repeat(32)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-conform-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const written = async (name: string, text: string): Promise<string> => {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

it("is a module whose default export has means and facts, or JSON with facts", async () => {
  const module = await readOperatorFile(
    await written("operator.mjs", "export default { makeKey: async () => 'made', facts: { standAlone: true } }")
  )
  expect(await module.makeKey?.({ credits: 1n })).toBe("made")
  expect(module.facts).toEqual({ standAlone: true })
  const lacking = { hasTickets: false, hasKeyList: false, hasProgramRecords: false, hasDurableFeeds: false }
  expect(await readOperatorFile(await written("lacking.json", JSON.stringify(lacking)))).toEqual({ facts: lacking })
  const file = await written("facts.json", `{ "otherTenantKey": "other", "programs": { "echo": "${id}" } }`)
  expect(await readOperatorFile(file)).toEqual({ facts: { otherTenantKey: "other", programs: { echo: id } } })
})

it.each([
  ["without.mjs", "export const operator = {}", "default export"],
  ["misspelled.mjs", "export default { makeKeys: () => 1 }", "has no use for makeKeys"],
  ["useless.mjs", "export default { deploy: 'no' }", "deploy must be a function"],
  ["facts.mjs", "export default { facts: 1 }", "facts must be an object"],
  ["null.json", "null", "facts must be an object"],
  ["misspelled.json", '{ "hasKeyLists": false }', "has no use for the fact hasKeyLists: only hasTickets,"],
  ["unclear.json", '{ "hasDurableFeeds": "no" }', "hasDurableFeeds must be true or false"],
  ["number.json", '{ "keyWithoutCredits": 5 }', "keyWithoutCredits must be a text"],
  ["pings.json", '{ "pingIntervalMs": "5 s" }', "pingIntervalMs must be a number from 100 to 600000"],
  ["proxy.json", '{ "dataProxy": { "publicKey": "02", "name": "p", "fee": 7 } }', "dataProxy must have publicKey, name, fee, each a text"],
  ["programs.json", '{ "programs": ["echo"] }', "programs has 0: only echo,"],
  ["program.json", `{ "programs": { "eco": "${id}" } }`, "programs has eco: only echo,"],
  ["id.json", '{ "programs": { "echo": "12" } }', "each an id of 64 hex characters"],
  ["broken.json", "{", "JSON"]
])("refuses %s", async (name, text, fault) => {
  await expect(readOperatorFile(await written(name, text))).rejects.toThrow(fault)
})

it("says what is not there, also of a module, and what is a folder", async () => {
  for (const name of ["gone.mjs", "gone.json"]) {
    const refusal = await readOperatorFile(join(folder, name)).catch(fileReason)
    expect(refusal).toBe("there is no such file or folder")
  }
  expect(await readOperatorFile(folder).catch(fileReason)).toBe("it is a folder")
})
