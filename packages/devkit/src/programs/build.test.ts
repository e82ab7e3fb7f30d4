/** The build of the programs: the same bytes from any folder, and nothing built twice. */
import { programIdOf } from "@sibyl/core"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildPrograms, buildTimeoutMs, builtProgram, programsFolder } from "./testdata/builtProgram.ts"

const names = ["crypto-price", "equity-session", "metals-index"]

/** The upper bound for our programs, in bytes. */
const maxBytes = 21_000

let temporary = ""
/** A copy of the sources, in nested folders with other names than this project's. */
let deep = ""
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), "sibyl-"))
  deep = join(temporary, "another checkout", "with", "folders")
  cpSync(programsFolder, deep, { recursive: true, filter: (file) => !/[\\/](build|node_modules)$/.test(file) })
})
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const wasm = (folder: string, name: string): Uint8Array => readFileSync(join(folder, "build", `${name}.wasm`))

describe("the build", { timeout: buildTimeoutMs }, () => {
  test("gives the same program ids in another folder, and prints them", async () => {
    const printed = await buildPrograms(deep)
    for (const name of names) {
      const id = programIdOf(wasm(deep, name))
      expect(programIdOf(await builtProgram(name))).toBe(id)
      expect(printed).toContain(`${name}  ${id}  ${wasm(deep, name).length} bytes\n`)
    }
    expect(printed.trimEnd().split("\n").length).toBe(names.length)
  })

  test("skips what is up to date, and nothing else", async () => {
    expect(await buildPrograms(deep)).toMatch(/^(.+ up to date\n){3}$/)
    const source = join(deep, "crypto-price", "index.ts")
    writeFileSync(source, readFileSync(source, "utf8").replace("60_000", "61_000"))
    const printed = await buildPrograms(deep)
    expect(printed).not.toMatch(/^crypto-price .* up to date$/m)
    expect(printed.match(/up to date/g)).toHaveLength(2)
    expect(programIdOf(wasm(deep, "crypto-price"))).not.toBe(programIdOf(await builtProgram("crypto-price")))
  })

  test.each(names)("makes %s link only what both phases offer, and stay small", async (name) => {
    const program = await builtProgram(name)
    const module = new WebAssembly.Module(program)
    const imports = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`)
    expect(imports.sort()).toEqual([
      "seda_v1.call_result_write",
      "seda_v1.execution_result",
      "seda_v1.http_fetch",
      "wasi_snapshot_preview1.args_get",
      "wasi_snapshot_preview1.args_sizes_get",
      "wasi_snapshot_preview1.clock_time_get",
      "wasi_snapshot_preview1.fd_write",
      "wasi_snapshot_preview1.proc_exit"
    ])
    expect(
      WebAssembly.Module.exports(module)
        .map(({ name }) => name)
        .sort()
    ).toEqual(["_start", "memory"])
    expect(program.length).toBeLessThan(maxBytes)
  })
})
