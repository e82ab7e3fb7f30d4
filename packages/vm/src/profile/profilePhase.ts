/** Profiles a phase that has ended: one observed pass over its tape, in a thread of its own, within the phase's wall clock. */
import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import { type PhaseRequest, RuntimeDefect } from "@sibyl/core"
import { Effect, Option } from "effect"
import { isTerminal, type TerminalEntry, type Tape } from "../tape/tape.ts"
import { stackSizeMb } from "../workers/stackSize.ts"
import type { PhaseProfile } from "./gasProfile.ts"
import type { ProfileOrder } from "./profilePass.ts"
import type { ProfileReport } from "./profileReport.ts"

const workerFile = (): string => createRequire(import.meta.url).resolve("@sibyl/vm/profile-worker")

/** Starts the thread; interrupting terminates it. */
const reportOf = (order: ProfileOrder): Effect.Effect<ProfileReport> =>
  Effect.async<ProfileReport>((resume) => {
    const worker = new Worker(workerFile(), { workerData: order, resourceLimits: { stackSizeMb } })
    const broken = (message: string): void => resume(Effect.succeed({ kind: "defect", message }))
    worker.once("message", (report: ProfileReport) => resume(Effect.succeed(report)))
    worker.once("error", (fault) => broken(fault.message))
    worker.once("exit", (code) => broken(`exit code ${code}`))
    return Effect.promise(() => worker.terminate())
  })

const orderOf = (request: PhaseRequest, tape: Tape, symbols: Uint8Array | undefined): ProfileOrder => {
  const { args, envs, gasLimit, limits, phase, program } = request
  return {
    program: { bytes: program, phase, memoryPages: limits.memoryPages },
    input: { phase, args, envs, gasLimit, limits, tape },
    ...(symbols === undefined ? {} : { symbols })
  }
}

const endedBy: Readonly<Record<TerminalEntry["kind"], string>> = {
  deadline: "the wall clock ended the phase",
  stackOverflow: "the phase overflowed the stack",
  workerLost: "the phase ended its worker"
}

/**
 * Where the gas of the phase went. There is no profile where the wall clock or the engine's stack ended the phase, or where the observed
 * pass, which is slower, comes to the same end; `missing` says so then.
 */
export const profilePhase = (request: PhaseRequest, tape: Tape, gasUsed: bigint, symbols?: Uint8Array): Effect.Effect<PhaseProfile> => {
  const { limits, phase } = request
  const without = (missing: string): PhaseProfile => ({ phase, gasUsed, rows: [], tree: [], missing })
  const last = tape.entries.at(-1)
  if (last !== undefined && isTerminal(last)) {
    return Effect.succeed(without(endedBy[last.kind]))
  }
  const wallClockMs = phase === "exec" ? limits.execWallClockMs : limits.tallyWallClockMs
  return Effect.gen(function* () {
    const report = yield* reportOf(orderOf(request, tape, symbols)).pipe(Effect.timeoutOption(wallClockMs))
    if (Option.isNone(report)) return without(`the observed run took longer than the phase's ${wallClockMs} ms`)
    if (report.value.kind === "stackOverflow") return without("the observed run overflowed the stack")
    if (report.value.kind === "defect") return yield* Effect.die(new RuntimeDefect(`profiling failed: ${report.value.message}`))
    const { rows, tree } = report.value
    if (report.value.gasUsed !== gasUsed) {
      return yield* Effect.die(new RuntimeDefect(`the observed run used ${report.value.gasUsed} gas, not ${gasUsed}`))
    }
    return { phase, gasUsed, rows, tree }
  })
}
