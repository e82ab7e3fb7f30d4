/** Deploys a program: checks that a phase can run it, reports portability findings, stores it. */
import { defaultLimits, HttpFetch, type Limits, type ProgramFinding, programIdOf, ProgramStore } from "@sibyl/core"
import { inspectProgram, layerProgramRuntime, type PhaseRefusals, type ProgramFacts, programFindings } from "@sibyl/vm"
import { Effect, Layer } from "effect"
import { amountText } from "../input/amount.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import type { Paint } from "../output/paint.ts"
import { fields } from "../output/table.ts"
import { phaseRefusalsOf } from "../service/phaseRefusals.ts"
import { readBytes } from "./programFiles.ts"
import { type StartGas, startGasOf } from "./startGas.ts"

/** It is compiled for that, so in a process of its own. */
const layerChecking = layerProgramRuntime({ workers: 1, spareWorkers: 0, isolation: "process" }).pipe(Layer.provide(HttpFetch.layerClosed))

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

const check = (path: string, limits: Limits) =>
  Effect.gen(function* () {
    const program = yield* readBytes(path)
    const refusals = yield* Effect.provide(phaseRefusalsOf(program, limits), layerChecking)
    // A program may be made for one phase only.
    if (refusals.exec !== null && refusals.tally !== null) return yield* refused(path, refusals)
    const facts = yield* Effect.mapError(inspectProgram(program), ({ message }) => new CommandFailed({ message }))
    const startGas = refusals.exec === null ? yield* startGasOf(program, limits) : null
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

const startText = (gas: StartGas | null): string => (gas === null ? "not run" : `${amountText(gas.gasUsed)}, exit code ${gas.exitCode}`)

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
  ...findings.map(({ level, message }) => `${paint(level === "warning" ? "yellow" : "dim", level)}  ${message}`)
]

/** Deploys the module in a file. Findings do not prevent deployment, unless no phase can run the program. */
export const deployProgram = (path: string, limits: Partial<Limits>) =>
  Effect.gen(function* () {
    const checked = yield* check(path, { ...defaultLimits, ...limits })
    yield* Effect.flatMap(ProgramStore, (store) => store.put(checked.program))
    const answer: Answer = { document: documentOf(checked), lines: (paint) => linesOf(checked, paint) }
    return answer
  })
