/** The build of the programs: the same bytes from any folder, and no work twice. */
import { programIdOf } from "@sibyl/core"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { builtProgram, buildPrograms, programsFolder } from "./builtProgram.ts"

let shallow = ""
let deep = ""
beforeAll(() => {
  shallow = mkdtempSync(join(tmpdir(), "a-"))
  deep = join(mkdtempSync(join(tmpdir(), "another checkout-")), "with", "folders")
  for (const folder of [shallow, deep]) {
    cpSync(programsFolder, folder, { recursive: true, filter: (file) => !/[\\/](build|node_modules)$/.test(file) })
  }
})
afterAll(() => {
  for (const folder of [shallow, deep]) rmSync(folder, { recursive: true, force: true })
})

const wasm = (folder: string): Uint8Array => readFileSync(join(folder, "build", "crypto-price.wasm"))

describe("the build", () => {
  test("gives the same program ids in every folder, and prints them", () => {
    const printed = [buildPrograms(shallow), buildPrograms(deep)]
    expect(printed[0]).toBe(printed[1])
    expect(programIdOf(wasm(shallow))).toBe(programIdOf(wasm(deep)))
    expect(programIdOf(wasm(shallow))).toBe(programIdOf(builtProgram("crypto-price")))
    expect(printed[0]).toContain(`crypto-price  ${programIdOf(wasm(shallow))}  ${wasm(shallow).length} bytes\n`)
  })

  test("skips what is up to date, and nothing else", () => {
    expect(buildPrograms(shallow)).toMatch(/^crypto-price .* up to date$/m)
    writeFileSync(join(shallow, "build", "crypto-price.wasm"), "damaged")
    expect(buildPrograms(shallow)).not.toMatch(/^crypto-price .* up to date$/m)
    const source = join(shallow, "crypto-price", "index.ts")
    writeFileSync(source, readFileSync(source, "utf8").replace("60_000", "61_000"))
    expect(buildPrograms(shallow)).not.toMatch(/^crypto-price .* up to date$/m)
    expect(programIdOf(wasm(shallow))).not.toBe(programIdOf(wasm(deep)))
  })

  test("makes programs that link only what both phases offer", () => {
    const module = new WebAssembly.Module(builtProgram("crypto-price"))
    const imports = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`)
    expect(imports.sort()).toEqual([
      "seda_v1.call_result_write", "seda_v1.execution_result", "seda_v1.http_fetch",
      "wasi_snapshot_preview1.args_get", "wasi_snapshot_preview1.args_sizes_get",
      "wasi_snapshot_preview1.clock_time_get", "wasi_snapshot_preview1.environ_get",
      "wasi_snapshot_preview1.environ_sizes_get", "wasi_snapshot_preview1.fd_write", "wasi_snapshot_preview1.proc_exit"
    ])
    expect(WebAssembly.Module.exports(module).map(({ name }) => name).sort()).toEqual(["_start", "memory"])
    expect(builtProgram("crypto-price").length).toBeLessThan(20_000)
  })
})
