/** The tally phase: filters the reveals, gives them to the tally program and takes its outcome (decision D23). */
import { Context, Effect, Layer } from "effect"
import type { Overloaded } from "../contract/errors.ts"
import { reachConsensus } from "../domain/protocol/consensus.ts"
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import type { Limits } from "../domain/settings/limits.ts"
import { type Reveal, tallyPhaseInputs } from "../domain/protocol/phaseInputs.ts"
import { type TallyRefusal, tallyRefusalOf } from "../domain/protocol/tallyRefusal.ts"
import { ChainHead } from "../ports/chainHead.ts"
import { type PhaseOutcome, ProgramRuntime } from "../ports/programRuntime.ts"

/** One tally to run. */
export interface TallyRequest {
  readonly projectId: string
  readonly request: DataRequest
  readonly program: Uint8Array
  readonly reveals: ReadonlyArray<Reveal>
  readonly limits: Limits
}

/** Whether the filter found consensus, and the tally program's outcome or why it did not run. */
export type TallyOutcome =
  | { readonly consensus: boolean; readonly phase: PhaseOutcome }
  | { readonly consensus: boolean; readonly refusal: TallyRefusal }

/** Runs the tally phase. What the program does wrong is an outcome, never a failure. */
export class Tally extends Context.Tag("@sibyl/core/Tally")<
  Tally,
  { readonly run: (request: TallyRequest) => Effect.Effect<TallyOutcome, Overloaded> }
>() {
  /** Over the program runtime. */
  static readonly layer = Layer.effect(
    Tally,
    Effect.gen(function*() {
      const runtime = yield* ProgramRuntime
      const chain = yield* ChainHead
      const run = Effect.fn("Tally.run")(function*({ limits, program, projectId, request, reveals }: TallyRequest) {
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
