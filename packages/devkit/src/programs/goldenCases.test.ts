/** The golden cases of the example programs in the real VM: both phases, exact bytes, equal gas. */
import { fromUtf8, toHex } from "@sibyl/core/internal"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildTimeoutMs, builtProgram } from "./testdata/builtProgram.ts"
import { goldenCases } from "./testdata/goldenCases.ts"
import { openProgramVm, type ProgramVm } from "./testdata/programVm.ts"

/** Gas that no program can avoid: start (5 T), arguments (2 T), in the execution phase a fetch (5 T) and the clock (1 T). */
const unavoidable = { exec: 13_000_000_000_000n, tally: 7_000_000_000_000n }

/** What a program may spend beyond that, in gas. */
const ownWork = 600_000_000_000n

const programs = new Map<string, Uint8Array>()
let vm: ProgramVm
beforeAll(async () => {
  for (const { program } of goldenCases) programs.set(program, await builtProgram(program))
  vm = openProgramVm()
}, buildTimeoutMs)
afterAll(() => vm.close())

const bytesOf = (result: string): string => (result.startsWith("0x") ? result.slice(2) : toHex(fromUtf8(result)))

describe("the virtual machine gives", () => {
  test.each(goldenCases)("$program: $name", async ({ answer, inputs, program, result, time }) => {
    const wasm = programs.get(program) ?? new Uint8Array()
    const world = { clockMs: Date.parse(time), answer: () => ({ status: 200, body: answer }) }
    const executed = await vm.execute(wasm, inputs, world)
    expect(executed).toMatchObject({ exitCode: 0, stdout: "", stderr: "" })
    expect(toHex(executed.result)).toBe(bytesOf(result))
    const tallied = await vm.tally(wasm, [{ bytes: executed.result }])
    expect(tallied).toMatchObject({ exitCode: 0, stdout: "", stderr: "", result: executed.result })

    expect((await vm.execute(wasm, inputs, world)).gasUsed).toBe(executed.gasUsed)
    expect(executed.gasUsed - unavoidable.exec).toBeLessThan(ownWork)
    expect(tallied.gasUsed - unavoidable.tally).toBeLessThan(ownWork)
  })
})
