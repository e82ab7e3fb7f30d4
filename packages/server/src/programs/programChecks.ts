/** Checks a module before anything runs it: by the runtime's word, and with lines for people. */
import { HttpFetch, type ProgramFinding } from "@sibyl/core"
import { inspectProgram, layerProgramRuntime, programFindings } from "@sibyl/vm"
import { Effect, Layer } from "effect"
import { given } from "../config/given.ts"
import { CommandFailed } from "../output/failure.ts"
import type { Paint } from "../output/paint.ts"
import { phaseRefusalsOf } from "../service/phaseRefusals.ts"

/** It is compiled and run for that, so in a process of its own, whose pool remembers what ended it. */
export const layerChecking = (workerMemoryMib?: number) =>
  layerProgramRuntime({ workers: 1, spareWorkers: 0, isolation: "process", ...given({ workerMemoryMib }) }).pipe(
    Layer.provide(HttpFetch.layerClosed)
  )

/** One line for each finding. */
export const findingLines = (findings: ReadonlyArray<ProgramFinding>, paint: Paint): ReadonlyArray<string> =>
  findings.map(({ level, message }) => `${paint(level === "warning" ? "yellow" : "dim", level)}  ${message}`)

/** What could differ between executors, and which phases would not start the module, by the default limits; it is not run. */
export const findingsOf = (program: Uint8Array) =>
  Effect.gen(function* () {
    const facts = yield* Effect.mapError(inspectProgram(program), ({ message }) => new CommandFailed({ message }))
    return programFindings(facts, yield* phaseRefusalsOf(program))
  }).pipe(Effect.provide(layerChecking()))
