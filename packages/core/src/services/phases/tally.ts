/** The tally phase: filters the reveals, gives them to the tally program and takes its outcome (decision D23). */
import { Context, Effect, Layer } from "effect"
import type { Overloaded } from "../../contract/errors.ts"
import { type Reveal, tallyBaseOf } from "../../domain/protocol/phaseInputs.ts"
import { tallyDecisionOf } from "../../domain/protocol/tallyDecision.ts"
import { ChainHead } from "../../ports/chainHead.ts"
import { checkedOutcome, ProgramRuntime, type TallyResult } from "../../ports/programRuntime.ts"
import type { PreparedRun } from "./preparedRun.ts"

/** The end of a tally, and the height of the chain that it was told. */
export type DatedTally = TallyResult & { readonly blockHeight: bigint }

/** Runs the tally phase. What the program does wrong is an outcome, never a failure. */
export class Tally extends Context.Tag("@sibyl/core/Tally")<
  Tally,
  { readonly run: (prepared: PreparedRun, reveals: ReadonlyArray<Reveal>) => Effect.Effect<DatedTally, Overloaded> }
>() {
  /** Over the program runtime. */
  static readonly layer = Layer.effect(
    Tally,
    Effect.gen(function* () {
      const runtime = yield* ProgramRuntime
      const chain = yield* ChainHead
      const run = Effect.fnUntraced(function* (prepared: PreparedRun, reveals: ReadonlyArray<Reveal>) {
        const { limits, projectId, request, tallyProgram: program } = prepared
        const { height } = yield* chain.head
        const decision = tallyDecisionOf(tallyBaseOf(request), height, reveals)
        if ("refusal" in decision) return { blockHeight: height, ...decision }
        const { consensus, inputs } = decision
        const phase = yield* runtime.run({
          phase: "tally",
          projectId,
          programId: request.tallyProgramId,
          program,
          args: inputs.args,
          envs: inputs.envs,
          gasLimit: request.tallyGasLimit,
          limits,
          isRecorded: prepared.isRecorded
        })
        return { consensus, phase: checkedOutcome(phase), blockHeight: height }
      })
      return { run }
    })
  )
}
