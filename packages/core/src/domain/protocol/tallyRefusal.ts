/** The outcome of a run whose tally is skipped because the executors do not agree (decision D24). */
import { fromUtf8 } from "../encoding/bytes.ts"
import type { ConsensusError } from "./consensus.ts"
import { readConsensusFilter } from "./consensusFilter.ts"

/** Exit code and result of a data result without a tally. */
export interface TallyRefusal {
  readonly exitCode: number
  readonly result: Uint8Array
}

const invalidFilterCode = 253
const noConsensusCode = 254

const filterFault = (filterBytes: Uint8Array): string => {
  const filter = readConsensusFilter(filterBytes)
  return "message" in filter ? `${filter.message}: ` : ""
}

/** Codes and texts are those of the public chain. */
export const tallyRefusalOf = (error: ConsensusError, filterBytes: Uint8Array): TallyRefusal => {
  switch (error) {
    case "ErrNoBasicConsensus":
      return {
        exitCode: noConsensusCode,
        result: fromUtf8("> 1/3 of reveals do not agree on (exit_code_success, proxy_pub_keys)")
      }
    case "ErrInvalidFilterInput":
      return { exitCode: invalidFilterCode, result: fromUtf8(`${filterFault(filterBytes)}invalid filter input`) }
    case "ErrNoConsensus":
      return { exitCode: noConsensusCode, result: fromUtf8("> 1/3 of reveals do not agree on reveal data") }
    case "ErrConsensusInError":
      return { exitCode: noConsensusCode, result: fromUtf8("consensus in error") }
  }
}
