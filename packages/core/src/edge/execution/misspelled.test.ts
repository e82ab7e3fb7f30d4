/** A misspelled parameter is refused with the right name; a name that resembles none is ignored. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { editDistance } from "../../domain/settings/nearestName.ts"
import { misspelledIn } from "./misspelled.ts"

const known = ["execProgramId", "execInputs", "tallyInputs", "encoding", "returnLastResult", "dryRun", "amount", "mode", "drId"]

const hint = (name: string): unknown => misspelledIn([name], known)?.details

describe("a misspelled name", () => {
  it.each([
    ["EXECINPUTS", "execInputs"],
    ["exec_inputs", "execInputs"],
    ["exec-inputs", "execInputs"],
    [" execInputs ", "execInputs"],
    ["execInputs[]", "execInputs"],
    ["execInputs[id]", "execInputs"],
    ["execInput", "execInputs"],
    ["exceInputs", "execInputs"],
    ["returnlastresult", "returnLastResult"],
    ["dryrun", "dryRun"],
    ["DRID", "drId"],
    ["amounts", "amount"],
    ["mode[]", "mode"]
  ])("%s is refused with %s", (name, right) => {
    expect(hint(name)).toEqual({ parameter: name, rule: `is not a parameter; did you mean ${right}?` })
  })

  it("is found among unrelated names, and echoed up to a maximum length", () => {
    const refusal = misspelledIn(["x", "execInputs", "somethingNew", `encoding[${"x".repeat(9_000)}]`], known)
    expect(String(refusal?.details?.["parameter"])).toHaveLength(100)
  })
})

describe("any other name", () => {
  it.each(["", "_t", "x", "node", "id", "somethingNew", "toString", "__proto__", "constructor", "programId", "inputs", "callback"])(
    "%j is ignored",
    (name) => expect(hint(name)).toBeUndefined()
  )

  it("is ignored when it is a known one, or further away than two letters", () => {
    expect(misspelledIn(known, known)).toBeUndefined()
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (name) => {
        const near = known.some((right) => editDistance(name.toLowerCase(), right.toLowerCase()) <= 2)
        fc.pre(!near && !/[[\s_-]/.test(name))
        expect(hint(name)).toBeUndefined()
      })
    )
  })

  it("is not checked after many others, which bounds the cost of a request", () => {
    const many = Array.from({ length: 100 }, (_, index) => `other${index}`)
    expect(misspelledIn([...many, "execinputs"], known)).toBeUndefined()
  })
})
