/** Functions are called what the name section, an export or their number says; a broken name section costs names only. */
import { encodeModule, hostImport, u32 } from "@sibyl/testing/wasm"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readProgram } from "../pass/prepare.ts"
import { functionNames } from "./functionNames.ts"

const text = (words: string): ReadonlyArray<number> => {
  const bytes = [...new TextEncoder().encode(words)]
  return [...u32(bytes.length), ...bytes]
}

const part = (id: number, content: ReadonlyArray<number>): ReadonlyArray<number> => [id, ...u32(content.length), ...content]

const naming = (names: ReadonlyArray<readonly [index: number, name: string]>): ReadonlyArray<number> => [
  ...text("name"),
  ...part(0, text("a module")),
  ...part(1, [...u32(names.length), ...names.flatMap(([index, name]) => [...u32(index), ...text(name)])])
]

/** One import and three functions, the last of them exported as `_start`. */
const moduleWith = (custom?: ReadonlyArray<number>): Uint8Array =>
  encodeModule({
    imports: [hostImport.executionResult],
    memory: 1,
    functions: [{ code: [] }, { code: [] }, { code: [] }],
    extra: custom === undefined ? [] : [{ id: 0, content: custom }]
  })

const namesOf = (bytes: Uint8Array, symbols?: Uint8Array): ReadonlyArray<string> => {
  const module = readProgram({ bytes, phase: "exec", memoryPages: 160 })
  if (!module.accepted) throw new Error(module.refusal.message)
  return functionNames(module.value, symbols)
}

const host = "seda_v1.execution_result"

describe("the names of functions", () => {
  it("are those of imports, of the name section, of exports, or numbers", () => {
    expect(
      namesOf(
        moduleWith(
          naming([
            [0, "ignored"],
            [1, "sdk/parse"]
          ])
        )
      )
    ).toEqual([host, "sdk/parse", "func 2", "_start"])
    expect(namesOf(moduleWith(naming([[3, "main"]])))).toEqual([host, "func 1", "func 2", "main"])
  })

  it("come from another build of the same sources where that is given", () => {
    expect(namesOf(moduleWith(), moduleWith(naming([[2, "median"]])))).toEqual([host, "func 1", "median", "_start"])
  })

  it("are told apart, and are one line of at most a hundred characters", () => {
    expect(
      namesOf(
        moduleWith(
          naming([
            [1, "same"],
            [2, "same"],
            [3, "two\nlines\u001b[2J"]
          ])
        )
      )
    ).toEqual([host, "same (1)", "same (2)", "two lines [2J"])
    expect(namesOf(moduleWith(naming([[1, "x".repeat(5_000)]])))[1]).toBe(`${"x".repeat(100)}…`)
  })

  it("never fail, whatever the section holds", () => {
    const whole = naming([
      [1, "one"],
      [2, "two"],
      [99, "none"]
    ])
    fc.assert(
      fc.property(fc.nat(whole.length), fc.uint8Array({ maxLength: 40 }), (kept, junk) => {
        const names = namesOf(moduleWith([...text("name"), ...whole.slice(text("name").length, kept), ...junk]))
        expect(names).toHaveLength(4)
        expect(names[0]).toBe(host)
      })
    )
  })
})
