/** Both phases of a run on one runtime, in one order and one after the other as a service did without it. */
import { defaultLimits, type FollowingTally, HttpFetch, type PhaseRequest, ProgramRuntime, programIdOf, type RunOutcome } from "@sibyl/core"
import { revealOf, tallyBaseOf, tallyDecisionOf } from "@sibyl/core/internal"
import { Effect, Layer, ManagedRuntime } from "effect"
import { layerProgramRuntime, type RuntimeOptions } from "../runtime.ts"
import { ampleGas } from "./runProgram.ts"
import type { Upstream } from "./runtimeOverHttp.ts"

/** A run for a test. */
export interface BothPhases {
  readonly exec: PhaseRequest
  readonly tally: FollowingTally
}

/** Gas limits, filter and limits of a run; by default everything is allowed. */
export interface RunSettings {
  readonly execGas?: bigint
  readonly tallyGas?: bigint
  readonly filter?: Uint8Array
  readonly limits?: Partial<PhaseRequest["limits"]>
}

/** A run of these programs. */
export const runOf = (execProgram: Uint8Array, tallyProgram: Uint8Array, settings: RunSettings = {}): BothPhases => {
  const { execGas = ampleGas, filter = Uint8Array.of(0), limits, tallyGas = ampleGas } = settings
  const [execProgramId, tallyProgramId] = [programIdOf(execProgram), programIdOf(tallyProgram)]
  const nothing = new Uint8Array()
  return {
    exec: {
      phase: "exec",
      projectId: "project",
      programId: execProgramId,
      program: execProgram,
      args: ["6b"],
      envs: [["VM_MODE", "dr"]],
      gasLimit: execGas,
      limits: { ...defaultLimits, ...limits }
    },
    tally: {
      program: tallyProgram,
      blockHeight: 7n,
      request: {
        version: "0.0.1",
        execProgramId,
        execInputs: nothing,
        execGasLimit: execGas,
        tallyProgramId,
        tallyInputs: Uint8Array.of(1, 2),
        tallyGasLimit: tallyGas,
        replicationFactor: 1,
        consensusFilter: filter,
        gasPrice: 0n,
        memo: nothing
      }
    }
  }
}

/** A runtime for tests of both phases. */
export interface BothRuntime {
  /** In one order. */
  readonly together: (run: BothPhases, signal?: AbortSignal) => Promise<RunOutcome>
  /** One order for each phase. */
  readonly oneByOne: (run: BothPhases) => Promise<RunOutcome>
  readonly dispose: () => Promise<void>
}

/** Opens a runtime whose programs get zeros for random bytes. */
export const openBothRuntime = (options: RuntimeOptions, upstream: Upstream): BothRuntime => {
  const entropy = Effect.sync(() => new Uint8Array(32))
  const http = Layer.succeed(HttpFetch, { fetch: upstream })
  const runtime = ManagedRuntime.make(layerProgramRuntime({ entropy, ...options }).pipe(Layer.provide(http)))
  const oneByOne = ({ exec: asked, tally: { blockHeight, program, request } }: BothPhases) =>
    Effect.gen(function* () {
      const { run } = yield* ProgramRuntime
      const exec = yield* run(asked)
      if (exec.exitCode !== 0) return { exec }
      const decision = tallyDecisionOf(tallyBaseOf(request), blockHeight, [revealOf(exec)])
      if ("refusal" in decision) return { exec, tally: decision }
      const phase = yield* run({
        phase: "tally",
        projectId: asked.projectId,
        programId: request.tallyProgramId,
        program,
        ...decision.inputs,
        gasLimit: request.tallyGasLimit,
        limits: asked.limits
      })
      return { exec, tally: { consensus: decision.consensus, phase } }
    })
  const together = ({ exec, tally }: BothPhases) =>
    Effect.flatMap(ProgramRuntime, ({ runBoth }) => (runBoth === undefined ? Effect.dieMessage("no runBoth") : runBoth(exec, tally)))
  return {
    together: (run, signal) => runtime.runPromise(together(run), signal === undefined ? {} : { signal }),
    oneByOne: (run) => runtime.runPromise(oneByOne(run)),
    dispose: () => runtime.dispose()
  }
}
