/** What in a module could differ between executors, or would not run on the public network. */
import type { Phase, ProgramFinding } from "@sibyl/core"
import { Either } from "effect"
import { inspectProgram, type ProgramFacts } from "./inspectProgram.ts"
import type { makeProgramValidation, ValidationRequest } from "./programValidation.ts"

/** Why a phase would not run the module; `null` if it would. */
export type PhaseRefusals = Readonly<Record<Phase, string | null>>

/** The public network's execution VM limits every memory to this many pages. */
const publicPages = 160

const imports = (facts: ProgramFacts, form: RegExp): boolean => facts.imports.some((name) => form.test(name))

const phaseFindings = (refusals: PhaseRefusals): ReadonlyArray<ProgramFinding> =>
  (
    [
      ["execution", refusals.exec],
      ["tally", refusals.tally]
    ] as const
  ).flatMap(([about, why]) => (why === null ? [] : [{ level: "warning", about, message: `the ${about} phase refuses it: ${why}` }]))

/** Each rule with its message. The network's limits are those of its published VMs. */
const rules: ReadonlyArray<ProgramFinding & { readonly holds: (facts: ProgramFacts) => boolean }> = [
  {
    level: "warning",
    about: "random",
    message: "imports random_get: each executor draws other bytes, and in the tally phase a call traps",
    holds: (facts) => imports(facts, /\.random_get$/)
  },
  {
    level: "warning",
    about: "clock",
    message: "imports clock_time_get: each executor sees another time, and in the tally phase a call traps",
    holds: (facts) => imports(facts, /\.clock_time_get$/)
  },
  {
    level: "warning",
    about: "storage",
    message: "imports storage: what it keeps is this server's, another executor has other values",
    holds: (facts) => imports(facts, /^seda_v1\.storage_/)
  },
  {
    level: "warning",
    about: "referenceTypes",
    message: "uses reference types: the public network's machine for executions does not start such a module",
    holds: ({ referenceTypes }) => referenceTypes > 0
  },
  {
    level: "warning",
    about: "passiveSegments",
    message: "uses passive segments: the public network's machine for executions does not start such a module",
    holds: ({ passiveSegments }) => passiveSegments > 0
  },
  {
    level: "note",
    about: "floats",
    message: "computes with floats: the bits of a NaN are fixed here and not on the public network",
    holds: ({ floatArithmetic }) => floatArithmetic > 0
  },
  {
    level: "note",
    about: "memoryMaximum",
    message: `declares more than ${publicPages} pages of memory: the execution gets ${publicPages}`,
    holds: ({ memory }) => (memory?.maximumPages ?? 0) > publicPages
  }
]

/** All findings. They depend on the module alone. */
export const programFindings = (facts: ProgramFacts, refusals: PhaseRefusals): ReadonlyArray<ProgramFinding> => [
  ...phaseFindings(refusals),
  ...rules.flatMap(({ holds, ...finding }) => (holds(facts) ? [finding] : []))
]

/** The findings of programs, of which up to `kept` are remembered: a module is read whole for them. */
export const makeProgramFindings = (
  validate: ReturnType<typeof makeProgramValidation>,
  kept: number
): ((request: Omit<ValidationRequest, "phase">) => ReadonlyArray<ProgramFinding>) => {
  const known = new Map<string, ReadonlyArray<ProgramFinding>>()
  return (request) => {
    const name = `${request.programId} ${request.limits.programBytes} ${request.limits.memoryPages}`
    const before = known.get(name)
    if (before !== undefined) return before
    const refusals = { exec: validate({ ...request, phase: "exec" }) ?? null, tally: validate({ ...request, phase: "tally" }) ?? null }
    const found = Either.match(inspectProgram(request.program), {
      onLeft: () => phaseFindings(refusals),
      onRight: (facts) => programFindings(facts, refusals)
    })
    known.set(name, found)
    for (const oldest of known.keys()) if (known.size > kept) known.delete(oldest)
    return found
  }
}
