/** The laws of the runtime of programs: what a run is, whichever machine makes it. Gas has its own vectors (`vectors/`, D25). */
import {
  defaultGasLimits,
  defaultLimits,
  type Overloaded,
  type Phase,
  type PhaseOutcome,
  type PhaseRequest,
  programIdOf,
  ProgramRuntime
} from "@sibyl/core"
import { fromUtf8, toHex } from "@sibyl/core/internal"
import { Effect, type Layer } from "effect"
import { type AuditProgram, auditPrograms } from "../../audits/programs/auditPrograms.ts"
import { holdsThat, isEqual, type Law, type LawBroken } from "../form/law.ts"
import { plainLaws } from "../form/plainLaws.ts"

type Body = Effect.Effect<void, LawBroken | Overloaded, ProgramRuntime>

/** The execution phase of one of the kit's programs. */
const requestOf = (name: AuditProgram, over: Partial<PhaseRequest> = {}): PhaseRequest => {
  const program = auditPrograms[name]
  return {
    phase: "exec",
    projectId: "laws",
    programId: programIdOf(program),
    program,
    // The inputs in hex, as a service passes them.
    args: [toHex(fromUtf8("sent"))],
    envs: [["VM_MODE", "dr"]],
    gasLimit: defaultGasLimits.exec,
    limits: defaultLimits,
    ...over
  }
}

const tallying = { phase: "tally", envs: [["VM_MODE", "tally"]], gasLimit: defaultGasLimits.tally } as const

const runOf = (name: AuditProgram, over?: Partial<PhaseRequest>): Effect.Effect<PhaseOutcome, Overloaded, ProgramRuntime> =>
  Effect.flatMap(ProgramRuntime, (runtime) => runtime.run(requestOf(name, over)))

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const endsAsTheProgramSays: Body = Effect.gen(function* () {
  const told = yield* runOf("echo")
  yield* isEqual([told.exitCode, told.exitMessage, text(told.result)], [0, "Ok", "sent"], "a program that returns its inputs")
  const failed = yield* runOf("failing")
  yield* isEqual([failed.exitCode, text(failed.result)], [3, "half done"], "a program that exits with 3")
  yield* holdsThat(failed.stderr.includes("boom"), "what it wrote to standard error is in the outcome")
  yield* isEqual((yield* runOf("exitingOutOfRange")).exitCode, 256, "an exit code, not reduced to a byte")
})

const trapsAreOutcomes: Body = Effect.gen(function* () {
  const phases: ReadonlyArray<readonly [Phase, AuditProgram]> = [
    ["exec", "trapping"],
    ["tally", "trappingInTally"]
  ]
  for (const [phase, name] of phases) {
    const ended = yield* runOf(name, phase === "exec" ? {} : tallying)
    yield* holdsThat(ended.exitCode !== 0, `a trap in ${phase} has an exit code other than 0`)
    yield* holdsThat(ended.reason !== undefined && ended.reason !== "", `a trap in ${phase} has a reason`)
  }
  yield* isEqual(text((yield* runOf("echo")).result), "sent", "a run after a trap")
})

const gasBoundsWork: Body = Effect.gen(function* () {
  const gasLimit = 20_000_000_000_000n
  const ended = yield* runOf("looping", { gasLimit })
  yield* holdsThat(ended.exitCode !== 0, "an endless program has an exit code other than 0")
  yield* isEqual(ended.gasUsed, gasLimit, "the gas of an endless program")
  const cheap = yield* runOf("echo")
  const enough = yield* runOf("echo", { gasLimit: cheap.gasUsed })
  yield* isEqual([enough.exitCode, enough.gasUsed], [0, cheap.gasUsed], "a run with exactly the gas that it needs")
  const short = yield* runOf("echo", { gasLimit: cheap.gasUsed - 1n })
  yield* isEqual([short.exitCode === 0, short.gasUsed], [false, cheap.gasUsed - 1n], "a run with one gas less")
})

const lasting = ({ exitCode, exitMessage, gasUsed, result, stderr, stdout }: PhaseOutcome) => [
  exitCode,
  exitMessage,
  gasUsed,
  text(result),
  stdout,
  stderr
]

const isAFunctionOfItsRequest: Body = Effect.gen(function* () {
  for (const name of ["echo", "failing", "printing", "trapping", "environment"] as const) {
    const first = lasting(yield* runOf(name))
    const more = yield* Effect.all(
      Array.from({ length: 8 }, () => runOf(name)),
      { concurrency: "unbounded" }
    )
    for (const again of more) yield* isEqual(lasting(again), first, `${name}, once more`)
  }
  const seen = yield* runOf("environment", {
    envs: [
      ["VM_MODE", "dr"],
      ["B", "2"],
      ["A", "1"]
    ]
  })
  const shown = text(seen.result)
  yield* holdsThat(
    shown.indexOf("VM_MODE=dr\0") < shown.indexOf("B=2\0") && shown.indexOf("B=2\0") < shown.indexOf("A=1\0"),
    "the environment is in the given order"
  )
})

const foreignBytesAreOutcomes: Body = Effect.gen(function* () {
  const runtime = yield* ProgramRuntime
  for (const program of [new Uint8Array(), Uint8Array.of(0, 0x61, 0x73, 0x6d), new Uint8Array(1_000).fill(7)]) {
    const ended = yield* runtime.run({ ...requestOf("echo"), program, programId: programIdOf(program) })
    yield* holdsThat(ended.exitCode !== 0, `${program.length} bytes that are no module have an exit code other than 0`)
  }
})

const bodies: Readonly<Record<string, Body>> = {
  "a run ends as its program says: exit code, result, output": endsAsTheProgramSays,
  "a trap is an outcome with a reason, and the next run is as ever": trapsAreOutcomes,
  "gas bounds a run exactly: what it needs is enough, one less is not, and an endless one uses all": gasBoundsWork,
  "a run is a function of its request, alone or beside others, with the environment in the given order": isAFunctionOfItsRequest,
  "bytes that are no module are an outcome, not a defect": foreignBytesAreOutcomes
}

/** The laws over one runtime from `makeRuntime` for each law; it needs no way to the outside. */
export const programRuntimeLaws = (makeRuntime: () => Layer.Layer<ProgramRuntime>): ReadonlyArray<Law> => plainLaws(bodies, makeRuntime)
