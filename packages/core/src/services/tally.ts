/** The tally phase: filters the reveals, gives them to the tally program and takes its outcome (decision D23). */
import { Context, Effect, Layer } from "effect"
import type { Overloaded } from "../contract/errors.ts"
import { reachConsensus } from "../domain/protocol/consensus.ts"
import { type Reveal, tallyPhaseInputs } from "../domain/protocol/phaseInputs.ts"
import { type TallyRefusal, tallyRefusalOf } from "../domain/protocol/tallyRefusal.ts"
import { ChainHead } from "../ports/chainHead.ts"
import { type PhaseOutcome, ProgramRuntime } from "../ports/programRuntime.ts"
import type { PreparedRun } from "./preparedRun.ts"

/** Whether the filter found consensus, and the tally program's outcome or the reason why it did not run. */
export type TallyResult =
  | { readonly consensus: boolean; readonly phase: PhaseOutcome }
  | { readonly consensus: boolean; readonly refusal: TallyRefusal }

/** Runs the tally phase. What the program does wrong is an outcome, never a failure. */
export class Tally extends Context.Tag("@sibyl/core/Tally")<
  Tally,
  { readonly run: (prepared: PreparedRun, reveals: ReadonlyArray<Reveal>) => Effect.Effect<TallyResult, Overloaded> }
>() {
  /** Over the program runtime. */
  static readonly layer = Layer.effect(
    Tally,
    Effect.gen(function* () {
      const runtime = yield* ProgramRuntime
      const chain = yield* ChainHead
      const run = Effect.fn("Tally.run")(function* (prepared: PreparedRun, reveals: ReadonlyArray<Reveal>) {
        const { limits, projectId, request, tallyProgram: program } = prepared
        const verdict = reachConsensus(request.consensusFilter, request.replicationFactor, reveals)
        if (verdict.error !== null) {
          const refusal = tallyRefusalOf(verdict.error, request.consensusFilter)
          return { consensus: verdict.consensus, refusal }
        }
        const { height } = yield* chain.head
        const inputs = tallyPhaseInputs(request, height, reveals, {
          reached: verdict.consensus,
          outliers: verdict.outliers ?? reveals.map(() => false)
        })
        const phase = yield* runtime.run({
          phase: "tally",
          projectId,
          programId: request.tallyProgramId,
          program,
          args: inputs.args,
          envs: inputs.envs,
          gasLimit: request.tallyGasLimit,
          limits
        })
        return { consensus: verdict.consensus, phase }
      })
      return { run }
    })
  )
}
