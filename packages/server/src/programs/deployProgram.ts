/** Deploys a program: checks that a phase can run it, reports portability findings, stores it. */
import { defaultLimits, type Limits, type ProgramFinding, programIdOf, ProgramStore } from "@sibyl/core"
import { inspectProgram, type PhaseRefusals, type ProgramFacts, programFindings } from "@sibyl/vm"
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { amountText } from "../input/amount.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import type { Paint } from "../output/paint.ts"
import { printable } from "../output/printable.ts"
import { fields } from "../output/table.ts"
import { phaseRefusalsOf } from "../service/phaseRefusals.ts"
import { findingLines, layerChecking } from "./programChecks.ts"
import { isFolder, readBytes } from "./programFiles.ts"
import { type StartGas, startGasOf } from "./startGas.ts"

/** Why neither phase can run it. */
const refused = (path: string, { exec, tally }: PhaseRefusals): CommandFailed =>
  new CommandFailed({
    message: `${path} cannot run as an Oracle Program: ${exec === tally ? exec : `execution: ${exec}; tally: ${tally}`}`
  })

/** Everything that is known of a program before it is stored. */
interface Checked {
  readonly program: Uint8Array
  readonly refusals: PhaseRefusals
  readonly facts: ProgramFacts
  readonly findings: ReadonlyArray<ProgramFinding>
  /** `null` if the execution phase cannot run it. */
  readonly startGas: StartGas | null
}

/** A program may be made for one phase only. */
const refuseUnfit = (path: string, refusals: PhaseRefusals) =>
  refusals.exec !== null && refusals.tally !== null ? Effect.fail(refused(path, refusals)) : Effect.void

const check = (path: string, limits: Limits) =>
  Effect.gen(function* () {
    if (yield* isFolder(path)) {
      return yield* new CommandFailed({ message: `${path} is a folder: sibyl build makes a module of a program's folder, in build/` })
    }
    const program = yield* readBytes(path)
    const atFirst = yield* phaseRefusalsOf(program, limits)
    yield* refuseUnfit(path, atFirst)
    const facts = yield* Effect.mapError(inspectProgram(program), ({ message }) => new CommandFailed({ message }))
    const startGas = atFirst.exec === null ? yield* startGasOf(program, limits) : null
    const refusals = yield* phaseRefusalsOf(program, limits)
    // It has ended its workers meanwhile, and would do so wherever it is run.
    if (atFirst.exec === null && refusals.exec !== null) return yield* refused(path, { exec: refusals.exec, tally: refusals.exec })
    const checked: Checked = { program, refusals, facts, findings: programFindings(facts, refusals), startGas }
    return checked
  })

const documentOf = ({ facts, findings, program, refusals, startGas }: Checked) => ({
  programId: programIdOf(program),
  sizeBytes: program.length,
  phases: { exec: refusals.exec === null, tally: refusals.tally === null },
  imports: facts.imports,
  memory: facts.memory,
  startGas,
  findings
})

const memoryText = ({ memory }: ProgramFacts): string => {
  if (memory === null) return "none"
  const { maximumPages, minimumPages } = memory
  const most = maximumPages === null ? "" : `, ${maximumPages} at most`
  return `${minimumPages} ${minimumPages === 1 ? "page" : "pages"} of 64 KiB at first${most}`
}

const startText = (gas: StartGas | null): string => {
  if (gas === null) return "not run"
  const why = gas.exitCode === 0 ? undefined : gas.stderr.trimEnd().split("\n").at(-1)
  return `${amountText(gas.gasUsed)}, exit code ${gas.exitCode}${why === undefined || why === "" ? "" : `: ${printable(why)}`}`
}

const linesOf = ({ facts, findings, program, refusals, startGas }: Checked, paint: Paint): ReadonlyArray<string> => [
  ...fields(
    [
      ["program", paint("bold", programIdOf(program))],
      ["size", `${amountText(BigInt(program.length))} bytes`],
      ["memory", memoryText(facts)],
      ["imports", facts.imports.map((name) => name.slice(name.indexOf(".") + 1)).join(", ")],
      ["execution", refusals.exec ?? "runs"],
      ["tally", refusals.tally ?? "runs"],
      ["gas to start", `${startText(startGas)} (no inputs, nobody answers)`]
    ],
    paint
  ),
  ...findingLines(findings, paint)
]

/** Deploys the module in a file. Findings do not prevent deployment, unless no phase can run the program. */
export const deployProgram = (path: string, { service, workerMemoryMib }: Pick<Configuration, "service" | "workerMemoryMib">) =>
  Effect.gen(function* () {
    const limits = { ...defaultLimits, ...service.limits }
    const checked = yield* Effect.provide(check(path, limits), layerChecking(workerMemoryMib))
    yield* Effect.flatMap(ProgramStore, (store) => store.put(checked.program))
    const answer: Answer = { document: documentOf(checked), lines: (paint) => linesOf(checked, paint) }
    return answer
  })
