/** Parameters mean the same in query and body, and an invalid one is refused by its name (decisions D4 to D7). */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parameterRules } from "../../contract/executeParams.ts"
import { toHex } from "../../domain/encoding/bytes.ts"
import { readJson } from "../../domain/encoding/losslessJson.ts"
import { type ParameterPlace, readExecuteParameters } from "./executeParameters.ts"
import { misspelledIn } from "./misspelled.ts"

const programId = "ab".repeat(32)
const maxInputBytes = 1_000

/** A place with parameters as a body would give them; `text` is the JSON of each value. */
const place = (parameters: Readonly<Record<string, string>>): ParameterPlace => {
  const members = Object.entries(parameters).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  const read = readJson(`{${members.join(",")}}`)
  if (!read.ok || !(read.value instanceof Map)) throw new Error("the test's own JSON is malformed")
  return read.value as ParameterPlace
}

const read = (...places: ReadonlyArray<ParameterPlace>) => readExecuteParameters(places, maxInputBytes)

const withProgram = (parameters: Readonly<Record<string, string>> = {}): ParameterPlace =>
  place({ execProgramId: `"${programId}"`, ...parameters })

const optionsOf = (parameters: Readonly<Record<string, string>>) => Either.getOrThrow(read(withProgram(parameters))).options

/** The parameter that a refusal names. */
const refused = (...places: ReadonlyArray<ParameterPlace>): unknown =>
  Either.match(read(...places), {
    onLeft: ({ _tag, details, message, status }) => {
      expect({ _tag, status }).toEqual({ _tag: "InvalidParameter", status: 400 })
      expect(message).toBe(`${String(details?.["parameter"])}: ${String(details?.["rule"])}`)
      return details?.["parameter"]
    },
    onRight: () => undefined
  })

const flags = ["returnLastResult", "includeSummary", "includeDebugInfo", "noPrefetch", "includeRecording", "dryRun"] as const

describe("flags", () => {
  it("are on or off in every notation", () => {
    const forms = [
      ['"true"', true],
      ['"TRUE"', true],
      ['"True"', true],
      ['"1"', true],
      ['""', true],
      ["true", true],
      ['"false"', false],
      ['"fAlSe"', false],
      ['"0"', false],
      ["false", false],
      ["null", undefined]
    ] as const
    for (const name of flags) {
      for (const [form, on] of forms) expect(optionsOf({ [name]: form })[name], `${name}=${form}`).toBe(on)
    }
  })

  it("refuse anything else", () => {
    for (const name of flags) {
      for (const form of ['"yes"', '"2"', '" true"', '"on"', "2", "-1", "0.5", "[]", "{}", "[true]", '"__proto__"']) {
        expect(refused(withProgram({ [name]: form })), `${name}=${form}`).toBe(name)
      }
    }
  })
})

/** Values that break each parameter's rule, as JSON. */
const wrong: Readonly<Record<keyof typeof parameterRules | "execInputs" | "tallyInputs", ReadonlyArray<string>>> = {
  execProgramId: ['""', '"0x"', `"${programId}0"`, `"0x0x${programId.slice(2)}"`, `"${"g".repeat(64)}"`, "1", "[]", `" ${programId}"`],
  tallyProgramId: ['""', `"${programId.slice(1)}"`, "true", "{}"],
  inputEncoding: ['"HEX"', '""', '"ascii"', "1", "[]"],
  returnLastResult: ['"maybe"'],
  returnLastResultMaxAge: ["-1", '"-1"', '""', '"soon"', "true", "[]", '"1 "', '"NaN"', '"Infinity"', "1e999", '"0x10"'],
  injectLastResult: ['"Success"', '"first"', "true", '""'],
  includeSummary: ['"x"'],
  includeDebugInfo: ['"x"'],
  noPrefetch: ['"x"', "[]"],
  includeRecording: ['"x"', "[]"],
  dryRun: ['"x"', "{}"],
  encoding: ['"HEX"', '"xml"', '""', "1"],
  execInputs: ['"0xabc"', "1", "true", "[9007199254740993]"],
  tallyInputs: ['"0xg0"', "0", '{"a":1e999}']
}

/** The age is used only with its flag. */
const flagOf = (name: string): Readonly<Record<string, string>> => (name === "returnLastResultMaxAge" ? { returnLastResult: "true" } : {})

describe("each parameter", () => {
  it("is refused by its name if it is invalid", () => {
    expect(Object.keys(wrong)).toEqual(expect.arrayContaining(Object.keys(parameterRules)))
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        expect(refused(withProgram({ ...flagOf(name), [name]: value })), `${name}=${value}`).toBe(name)
      }
    }
  })

  it("is absent when it is null", () => {
    const nothing = Object.fromEntries(Object.keys(wrong).map((name) => [name, "null"]))
    expect(Either.getOrThrow(read(withProgram(), place(nothing)))).toEqual(Either.getOrThrow(read(withProgram())))
    expect(refused(place(nothing))).toBe("execProgramId")
  })

  const right: Readonly<Record<string, readonly [string, string, string]>> = {
    execProgramId: [`"${programId}"`, `"0x${programId.toUpperCase()}"`, `"${"cd".repeat(32)}"`],
    tallyProgramId: [`"${programId}"`, `"0X${programId}"`, `"${"cd".repeat(32)}"`],
    inputEncoding: ['"utf8"', '"utf8"', '"hex"'],
    returnLastResult: ["true", '"1"', "false"],
    returnLastResultMaxAge: ["60", '"60.0"', "61"],
    injectLastResult: ['"last"', '"last"', '"none"'],
    includeSummary: ['""', '"TRUE"', "0"],
    includeDebugInfo: ['"0"', "false", "true"],
    noPrefetch: ["1", '"true"', '"0"'],
    includeRecording: ["true", '"1"', "false"],
    dryRun: ['"1"', "true", "false"],
    encoding: ['"json"', '"json"', '"utf8"'],
    execInputs: ['{"a":1}', '"{\\"a\\":1}"', '""'],
    tallyInputs: ['"0x31"', '"1"', '"2"']
  }

  it("may be repeated with the same meaning, but not with another", () => {
    expect(Object.keys(right).toSorted()).toEqual(Object.keys(wrong).toSorted())
    for (const [name, [one, same, other]] of Object.entries(right)) {
      const beside = name === "execProgramId" ? {} : { execProgramId: `"${programId}"` }
      const twice = (left: string, second: string) =>
        [place({ ...beside, ...flagOf(name), [name]: left }), place({ [name]: second })] as const
      expect(refused(...twice(one, same)), name).toBeUndefined()
      expect(refused(...twice(one, other)), name).toBe(name)
      expect(refused(...twice(other, one)), name).toBe(name)
    }
  })

  it("means the same in query and body", () => {
    for (const [name, [value]] of Object.entries(right)) {
      const beside = name === "execProgramId" ? {} : { execProgramId: `"${programId}"` }
      expect(read(place(beside), place({ [name]: value }))).toEqual(read(place({ [name]: value }), place(beside)))
    }
  })
})

describe("readExecuteParameters", () => {
  it("returns ids in lowercase without 0x, and the tally program defaults to the execution program", () => {
    const { key } = Either.getOrThrow(read(place({ execProgramId: `"0X${programId.toUpperCase()}"` })))
    expect(key).toEqual({
      execProgramId: programId,
      execInputs: new Uint8Array(),
      tallyProgramId: programId,
      tallyInputs: new Uint8Array()
    })
  })

  it("needs a program", () => {
    expect(refused(place({}))).toBe("execProgramId")
    expect(refused()).toBe("execProgramId")
  })

  it("ignores unknown names, whatever their values", () => {
    const unknown = fc
      .string({ maxLength: 12 })
      .filter((name) => misspelledIn([name], Object.keys(wrong)) === undefined && !Object.keys(wrong).includes(name))
    fc.assert(
      fc.property(unknown, fc.json({ maxDepth: 1 }), fc.json({ maxDepth: 1 }), (name, one, other) => {
        const expected = read(withProgram())
        expect(read(withProgram({ [name]: one }), place({ [name]: other }))).toEqual(expected)
      })
    )
  })

  it("takes ages as numbers and as their digits", () => {
    const ages = [
      ["0", 0],
      ['"0"', 0],
      ["1.5", 1.5],
      ['"1.5"', 1.5],
      ["1e3", 1_000],
      ["1e21", 1e21],
      ["1e-7", 1e-7]
    ] as const
    for (const [form, seconds] of ages) {
      const parameters = { returnLastResult: "true", returnLastResultMaxAge: form }
      expect(optionsOf(parameters).returnLastResultMaxAge, form).toBe(seconds)
    }
  })

  it("ignores an age without its flag, whatever it is", () => {
    for (const form of ["60", '"soon"', "-1", "[]"]) {
      expect(optionsOf({ returnLastResultMaxAge: form }), form).toEqual(optionsOf({}))
      expect(optionsOf({ returnLastResult: "false", returnLastResultMaxAge: form }).returnLastResultMaxAge).toBeUndefined()
    }
    expect(refused(withProgram({ returnLastResultMaxAge: "-1" }), place({ returnLastResult: "1" }))).toBe("returnLastResultMaxAge")
  })

  it("refuses a misspelled name, of its own or of its endpoint's other parameters", () => {
    expect(refused(withProgram({ execinputs: '"x"' }))).toBe("execinputs")
    expect(refused(place({ execprogramid: `"${programId}"` }))).toBe("execprogramid")
    const withMode = readExecuteParameters([withProgram({ Mode: '"last"' })], maxInputBytes, ["mode"])
    expect(Either.isLeft(withMode) && withMode.left.message).toBe("Mode: is not a parameter; did you mean mode?")
    expect(refused(withProgram({ mode: '"last"' }))).toBeUndefined()
  })

  it("bounds the bytes of an input, not its text", () => {
    const hexOf = (size: number): string => `"0x${toHex(new Uint8Array(size))}"`
    for (const name of ["execInputs", "tallyInputs"]) {
      expect(refused(withProgram({ [name]: hexOf(maxInputBytes) }))).toBeUndefined()
      expect(refused(withProgram({ [name]: hexOf(maxInputBytes + 1) }))).toBe(name)
      expect(refused(withProgram({ [name]: JSON.stringify("é".repeat(maxInputBytes / 2 + 1)) }))).toBe(name)
    }
  })
})
