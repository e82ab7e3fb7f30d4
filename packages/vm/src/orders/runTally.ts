/** The tally phase behind an execution phase, on the same worker. */
import { revealOf, type TallyBase, tallyDecisionOf } from "@sibyl/core/internal"
import { type Ending, terminalEnding } from "../pass/ending.ts"
import type { GuestCache } from "../pass/guestCache.ts"
import { pass, type PassInput } from "../pass/pass.ts"
import type { Preparation } from "../pass/prepare.ts"
import { proxyUsesOf } from "../tape/proxyUses.ts"
import { emptyTape, type Tape } from "../tape/tape.ts"
import type { TallyReport } from "./messages.ts"

/** The ended execution phase that the tally sees, and what both phases share. */
export interface EndedExecution {
  readonly ending: Ending
  readonly tape: Tape
  readonly limits: PassInput["limits"]
}

const endingOf = (preparation: Preparation, input: PassInput, guests: GuestCache): Ending => {
  const result = pass(preparation, input, { guests })
  if (result.kind === "done") return result.ending
  if (result.kind === "stackOverflow") return terminalEnding("tally", { kind: "stackOverflow" }, input.gasLimit)
  throw new Error("a tally program made a request")
}

/** What the tally phase is given beside the reveal. */
export interface TallyTerms {
  readonly base: TallyBase
  readonly blockHeight: bigint
  readonly gasLimit: bigint
}

/** Applies the request's filter to the only reveal and runs the program, unless the filter refuses. */
export const runTally = (
  { base, blockHeight, gasLimit }: TallyTerms,
  prepare: () => Preparation,
  { ending, limits, tape }: EndedExecution,
  guests: GuestCache
): TallyReport => {
  const { exitCode, gasUsed, result = new Uint8Array() } = ending
  const reveal = revealOf({ exitCode, gasUsed, result, proxies: proxyUsesOf(tape) })
  const decision = tallyDecisionOf(base, blockHeight, [reveal])
  if ("refusal" in decision) return decision
  const { args, envs } = decision.inputs
  return {
    consensus: decision.consensus,
    ending: endingOf(prepare(), { phase: "tally", args, envs, gasLimit, limits, tape: emptyTape }, guests)
  }
}
