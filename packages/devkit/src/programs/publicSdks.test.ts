/** Programs that call the host like those of the public SDKs run unchanged in the real VM. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildTimeoutMs } from "./testdata/builtProgram.ts"
import { compileProgram } from "./testdata/compileProgram.ts"
import { text } from "./testdata/endings.ts"
import { openProgramVm, type ProgramVm } from "./testdata/programVm.ts"
import { assemblyScriptPattern, rustPattern } from "./testdata/publicSdkPatterns.ts"

let rust: Uint8Array
let assemblyScript: Uint8Array
let vm: ProgramVm
beforeAll(async () => {
  rust = await compileProgram(rustPattern)
  assemblyScript = await compileProgram(assemblyScriptPattern)
  vm = openProgramVm()
}, buildTimeoutMs)
afterAll(() => vm.close())

const world = { clockMs: 1_763_640_000_000, answer: () => ({ status: 201, body: "ok" }) }

/** The response within a fulfilled promise. */
const fulfilled = (promise: string): unknown => {
  const { Fulfilled } = JSON.parse(promise) as { readonly Fulfilled: ReadonlyArray<number> }
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(Fulfilled)))
}

describe("a program like those of the Rust SDK", () => {
  test("fetches, and finds the response in the promise", async () => {
    const outcome = await vm.execute(rust, "go", world)
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "", stderr: "" })
    expect(fulfilled(text(outcome))).toMatchObject({
      status: 201,
      bytes: [111, 107],
      url: "https://api.test/price",
      headers: { "content-type": "application/json" }
    })
    expect(vm.requests()).toMatchObject([
      {
        url: "https://api.test/price",
        method: "POST",
        timeoutMs: 1_500,
        body: Uint8Array.of(123, 125)
      }
    ])
  })

  test("finds a refusal in a rejected promise", async () => {
    const outcome = await vm.execute(rust, "go", { ...world, answer: () => "connection refused" })
    expect(outcome.exitCode).toBe(1)
    expect(text(outcome)).toMatch(/^\{"Rejected":\[[0-9,]+\]\}$/)
  })

  test("panics with its text on stderr and a trap", async () => {
    const outcome = await vm.execute(rust, "panic", world)
    expect(outcome).toMatchObject({ exitCode: 1, result: new Uint8Array() })
    expect(outcome.stderr).toContain("thread 'main' panicked at src/main.rs:7:5:\nno price\n")
  })

  test("may create a hash map in the execution phase", async () => {
    expect((await vm.execute(rust, "map", world)).exitCode).toBe(0)
  })

  test("reads reveals and consensus in the tally, and writes a line in pieces", async () => {
    const outcome = await vm.tally(rust, [{ bytes: Uint8Array.of(1, 2) }])
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" })
    expect(JSON.parse(text(outcome))).toMatchObject([{ reveal: [1, 2], exit_code: 0, dr_block_height: 0 }])
    expect(outcome.stdout).toBe(`tally of ${text(outcome)} [0]\n`)
  })
})

describe("a program like those of the AssemblyScript SDK", () => {
  test("fetches with options first and a time-out that is a float", async () => {
    const outcome = await vm.execute(assemblyScript, "https://api.test/", world)
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "asked\n", stderr: "" })
    expect(fulfilled(text(outcome))).toMatchObject({ status: 201, bytes: [111, 107], url: "https://api.test/" })
    expect(vm.requests()).toMatchObject([{ method: "GET", timeoutMs: 1_500, body: new Uint8Array() }])
  })

  test("reads its phase from the environment", async () => {
    expect(await vm.tally(assemblyScript, [{ bytes: new Uint8Array() }])).toMatchObject({ exitCode: 3 })
  })
})
