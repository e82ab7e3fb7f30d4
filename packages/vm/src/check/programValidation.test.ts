/** The verdict on a program is that of the check at deployment, however often it is requested. */
import { defaultLimits, type Phase, programIdOf } from "@sibyl/core"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { checkProgram } from "./checkProgram.ts"
import { makeProgramValidation } from "./programValidation.ts"
import { moduleNamed } from "../testdata/vectors.ts"

const broken = Uint8Array.of(0, 0x61, 0x73, 0x6d, 2)
const programs = [moduleNamed("min_return"), moduleNamed("loop_sum"), broken]
const phases: ReadonlyArray<Phase> = ["exec", "tally"]

const requests = programs.flatMap((program) =>
  phases.map((phase) => ({ phase, program, programId: programIdOf(program), limits: defaultLimits }))
)

describe("validation of programs", () => {
  it.each([1, 2, 100])("equals the check, with %i verdicts kept", (kept) => {
    const validate = makeProgramValidation(kept)
    for (const request of [...requests, ...requests, ...requests.toReversed()]) {
      const verdict = checkProgram(request.program, request.phase)
      expect(validate(request)).toBe(Either.isLeft(verdict) ? verdict.left.message : undefined)
    }
    expect(requests.some((request) => validate(request) !== undefined)).toBe(true)
    expect(requests.some((request) => validate(request) === undefined)).toBe(true)
  })

  it("depends on the limits of the request", () => {
    const validate = makeProgramValidation(10)
    const [request] = requests
    if (request === undefined) throw new Error("no program")
    expect(validate(request)).toBeUndefined()
    expect(validate({ ...request, limits: { ...defaultLimits, programBytes: 10 } })).toContain("at most 10")
    expect(validate(request)).toBeUndefined()
  })
})
