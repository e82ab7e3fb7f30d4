/** The build of the programs: the same bytes from any folder, and no work twice. */
import { programIdOf } from "@sibyl/core"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildPrograms, buildTimeoutMs, builtProgram, programsFolder } from "./builtProgram.ts"

let temporary = ""
let shallow = ""
let deep = ""
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), "sibyl-"))
  shallow = join(temporary, "a")
  deep = join(temporary, "another checkout", "with", "folders")
  for (const folder of [shallow, deep]) {
    cpSync(programsFolder, folder, { recursive: true, filter: (file) => !/[\\/](build|node_modules)$/.test(file) })
  }
})
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const wasm = (folder: string): Uint8Array => readFileSync(join(folder, "build", "crypto-price.wasm"))

describe("the build", { timeout: buildTimeoutMs }, () => {
  test("gives the same program ids in every folder, and prints them", async () => {
    const printed = await buildPrograms(shallow)
    expect(await buildPrograms(deep)).toBe(printed)
    const id = programIdOf(wasm(shallow))
    expect(programIdOf(wasm(deep))).toBe(id)
    expect(programIdOf(await builtProgram("crypto-price"))).toBe(id)
    expect(printed).toContain(`crypto-price  ${id}  ${wasm(shallow).length} bytes\n`)
  })

  test("skips what is up to date, and nothing else", async () => {
    expect(await buildPrograms(shallow)).toMatch(/^crypto-price .* up to date$/m)
    const source = join(shallow, "crypto-price", "index.ts")
    writeFileSync(source, readFileSync(source, "utf8").replace("60_000", "61_000"))
    expect(await buildPrograms(shallow)).not.toMatch(/^crypto-price .* up to date$/m)
    expect(programIdOf(wasm(shallow))).not.toBe(programIdOf(wasm(deep)))
  })

  test("makes programs that link only what both phases offer", async () => {
    const program = await builtProgram("crypto-price")
    const module = new WebAssembly.Module(program)
    const imports = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`)
    expect(imports.sort()).toEqual([
      "seda_v1.call_result_write", "seda_v1.execution_result", "seda_v1.http_fetch",
      "wasi_snapshot_preview1.args_get", "wasi_snapshot_preview1.args_sizes_get",
      "wasi_snapshot_preview1.clock_time_get", "wasi_snapshot_preview1.fd_write", "wasi_snapshot_preview1.proc_exit"
    ])
    expect(WebAssembly.Module.exports(module).map(({ name }) => name).sort()).toEqual(["_start", "memory"])
    expect(program.length).toBeLessThan(20_000)
  })
})
