/** Whether a run's tally phase runs, and with which inputs: what follows from the reveals (decisions D23, D24). */
import { fromHex } from "../encoding/bytes.ts"
import { reachConsensus } from "./consensus.ts"
import { type PhaseInputs, type Reveal, type TallyBase, tallyPhaseInputs } from "./phaseInputs.ts"
import { type TallyRefusal, tallyRefusalOf } from "./tallyRefusal.ts"

/** Whether the filter found consensus, and the inputs of the tally phase or the outcome without one. */
export type TallyDecision =
  | { readonly consensus: boolean; readonly inputs: PhaseInputs }
  | { readonly consensus: boolean; readonly refusal: TallyRefusal }

/** What a reveal shows of an ended execution phase: its proxy keys are those of each paid call, sorted. */
export const revealOf = (phase: {
  readonly result: Uint8Array
  readonly exitCode: number
  readonly gasUsed: bigint
  readonly proxies: ReadonlyArray<{ readonly publicKey: string; readonly calls: number }>
}): Reveal => ({
  result: phase.result,
  exitCode: phase.exitCode,
  gasUsed: phase.gasUsed,
  proxyPublicKeys: phase.proxies.flatMap(({ calls, publicKey }) => Array.from({ length: calls }, () => publicKey)).toSorted()
})

/** Applies the filter of the request to the reveals. */
export const tallyDecisionOf = (base: TallyBase, blockHeight: bigint, reveals: ReadonlyArray<Reveal>): TallyDecision => {
  const filter = fromHex(base.consensusFilter) ?? new Uint8Array()
  const { consensus, error, outliers } = reachConsensus(filter, base.replicationFactor, reveals)
  if (error !== null) return { consensus, refusal: tallyRefusalOf(error, filter) }
  const inputs = tallyPhaseInputs(base, blockHeight, reveals, {
    reached: consensus,
    outliers: outliers ?? reveals.map(() => false)
  })
  return { consensus, inputs }
}
