/** From the outcomes of the phases to the result that is signed (decisions D22, D23). */
import type { DataResult } from "./dataResult.ts"
import { signedExitCode } from "./dataResultId.ts"
import type { TallyRefusal } from "./tallyRefusal.ts"

/** The outcome of a run. */
export interface RunResult {
  readonly consensus: boolean
  /** The phase's exit code; it is signed as one byte. */
  readonly exitCode: number
  readonly result: Uint8Array
  readonly gasUsed: bigint
}

/** What counts of an ended phase. */
export type PhaseEnd = Omit<RunResult, "consensus">

/** What counts of the tally: its phase, or the outcome without one. */
export type TallyEnd = { readonly consensus: boolean } & ({ readonly phase: PhaseEnd } | { readonly refusal: TallyRefusal })

/** The outcome of a run; without a tally, that of its execution phase. */
export const runResultOf = (exec: PhaseEnd, tally: TallyEnd | undefined): RunResult => {
  const { gasUsed } = exec
  if (tally === undefined) return { consensus: true, exitCode: exec.exitCode, result: exec.result, gasUsed }
  const { consensus } = tally
  if ("refusal" in tally) return { ...tally.refusal, consensus, gasUsed }
  const { exitCode, result } = tally.phase
  return { consensus, exitCode, result, gasUsed: gasUsed + tally.phase.gasUsed }
}

/** When and for what a result is signed. */
export interface ResultIdentity {
  readonly version: string
  readonly drId: string
  readonly blockHeight: bigint
  readonly timestampMs: number
}

/** The result in the form that is signed. */
export const dataResultOf = ({ blockHeight, drId, timestampMs, version }: ResultIdentity, outcome: RunResult): DataResult => ({
  version,
  drId,
  consensus: outcome.consensus,
  exitCode: signedExitCode(outcome.exitCode),
  result: outcome.result,
  blockHeight,
  blockTimestamp: BigInt(timestampMs),
  gasUsed: outcome.gasUsed,
  paybackAddress: new Uint8Array(),
  servicePayload: new Uint8Array()
})
