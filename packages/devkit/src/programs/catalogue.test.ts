/** The catalogue of the example programs agrees with the built programs, and its example inputs work. */
import { programIdOf as idOfBytes } from "@sibyl/core"
import { examplePrograms, programBytes, programIdOf } from "@sibyl/programs"
import { checkProgram } from "@sibyl/vm"
import { Either } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { answerOf } from "../market/priceService.ts"
import { buildPrograms, buildTimeoutMs } from "./testdata/builtProgram.ts"
import { text } from "./testdata/endings.ts"
import { openProgramVm, type ProgramVm } from "./testdata/programVm.ts"

let vm: ProgramVm
beforeAll(async () => {
  await buildPrograms()
  vm = openProgramVm()
}, buildTimeoutMs)
afterAll(() => vm.close())

const timeMs = Date.parse("2026-07-30T15:08:57Z")
const moment = { seed: 1, timeMs, faultOf: () => undefined, pinnedQuote: () => undefined }

const members: Readonly<Record<string, string>> = {
  "crypto-price": "price",
  "metals-index": "index",
  "equity-session": "composite_rate"
}

test("names the three programs of the specification", () => {
  expect(examplePrograms.map(({ name }) => name)).toEqual(Object.keys(members))
})

describe.each(examplePrograms)("$name", ({ inputs, name }) => {
  test("has the id of its bytes", async () => {
    expect(idOfBytes(await programBytes(name))).toBe(await programIdOf(name))
  })

  test("can be deployed for both phases", async () => {
    for (const phase of ["exec", "tally"] as const) {
      expect(checkProgram(await programBytes(name), phase)).toEqual(Either.void)
    }
  })

  test("answers its example's inputs with a number", async () => {
    const answer = (url: string) => answerOf(moment, url.slice(url.indexOf("/v2")))
    const outcome = await vm.execute(await programBytes(name), inputs, { clockMs: timeMs, answer })
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" })
    expect(JSON.parse(text(outcome))).toHaveProperty(members[name] ?? "", expect.any(Number))
  })
})

test("a build that is missing is told, in place of a path that is not there", async () => {
  const missing = (file: string) => `The example programs are not built: @sibyl/programs has no build/${file}`
  await expect(programBytes("no-such-program" as "crypto-price")).rejects.toThrow(missing("no-such-program.wasm"))
})
