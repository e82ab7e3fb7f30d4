/** Builds the data request that is identified, run and signed from what a client asks for (decisions D22, D24). */
import { memoized } from "../encoding/memoized.ts"
import { protocolVersion } from "./dataRequestId.ts"
import type { DataRequest, LastResultKey } from "./dataRequest.ts"
import type { GasLimits } from "../settings/gasLimits.ts"

/** How many executors run the execution phase, and how their reveals are compared. */
export interface Replication {
  readonly replicationFactor: number
  /** Filter bytes (`consensusFilter.ts`). */
  readonly consensusFilter: Uint8Array
}

const nothing = new Uint8Array()

const freshRequestOf = (key: LastResultKey, { exec, tally }: GasLimits, replication: Replication): DataRequest => ({
  version: protocolVersion,
  execProgramId: key.execProgramId,
  execInputs: key.execInputs,
  execGasLimit: exec,
  tallyProgramId: key.tallyProgramId,
  tallyInputs: key.tallyInputs,
  tallyGasLimit: tally,
  replicationFactor: replication.replicationFactor,
  consensusFilter: replication.consensusFilter,
  gasPrice: 0n,
  memo: nothing
})

/**
 * The request with these programs, inputs, gas limits and replication; the other fields are fixed. A feed uses the same key for every run,
 * so its request is built, and hashed, once.
 */
export const dataRequestOf: (key: LastResultKey, gasLimits: GasLimits, replication: Replication) => DataRequest = memoized(
  freshRequestOf,
  (request, gasLimits, { consensusFilter, replicationFactor }) =>
    request.execGasLimit === gasLimits.exec &&
    request.tallyGasLimit === gasLimits.tally &&
    request.replicationFactor === replicationFactor &&
    request.consensusFilter === consensusFilter
)
