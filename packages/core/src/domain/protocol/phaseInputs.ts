/** The arguments and environment of the two phases, in the order that the network's programs expect (decision D26). */
import { toBase64, toHex } from "../encoding/bytes.ts"
import { memoized } from "../encoding/memoized.ts"
import { dataRequestIdOf } from "./dataRequestId.ts"
import type { DataRequest } from "./dataRequest.ts"
import type { DataResult } from "./dataResult.ts"

/** The arguments after the program's name, and the environment in order. */
export interface PhaseInputs {
  readonly args: ReadonlyArray<string>
  readonly envs: ReadonlyArray<readonly [key: string, value: string]>
}

/** One executor's reveal, as the tally program sees it. */
export interface Reveal {
  readonly result: Uint8Array
  readonly exitCode: number
  readonly gasUsed: bigint
  readonly proxyPublicKeys: ReadonlyArray<string>
}

/** A previous run whose result is injected. */
interface LastRun {
  readonly dataResult: Pick<DataResult, "result" | "exitCode" | "blockTimestamp">
}

const lastResultEnvs = ({ dataResult }: LastRun): PhaseInputs["envs"] => [
  ["LAST_RESULT", toHex(dataResult.result)],
  ["LAST_RESULT_EXIT_CODE", String(dataResult.exitCode)],
  ["LAST_RESULT_TIMESTAMP", String(dataResult.blockTimestamp)]
]

/** The inputs of a request that is given no last result, for the chain and height that they name. */
interface PlainInputs extends PhaseInputs {
  readonly chainId: string
  readonly blockHeight: bigint
}

const makePlainInputs = (request: DataRequest, chainId: string, blockHeight: bigint): PlainInputs => ({
  chainId,
  blockHeight,
  args: [toHex(request.execInputs)],
  envs: [
    ["VM_MODE", "dr"],
    ["DR_ID", dataRequestIdOf(request)],
    ["DR_HEIGHT", String(blockHeight)],
    ["EXEC_PROGRAM_ID", request.execProgramId],
    ["DR_REPLICATION_FACTOR", String(request.replicationFactor)],
    ["DR_GAS_PRICE", String(request.gasPrice)],
    ["DR_EXEC_GAS_LIMIT", String(request.execGasLimit)],
    ["DR_TALLY_GAS_LIMIT", String(request.tallyGasLimit)],
    ["DR_MEMO", toHex(request.memo)],
    ["DR_PAYBACK_ADDRESS", ""],
    ["TALLY_PROGRAM_ID", request.tallyProgramId],
    ["TALLY_INPUTS", toHex(request.tallyInputs)],
    ["CHAIN_ID", chainId]
  ]
})

/** A repeated request is one object, whose inputs are written once for each height of the chain. */
const plainInputsOf = memoized(
  makePlainInputs,
  (inputs, chainId, blockHeight) => inputs.chainId === chainId && inputs.blockHeight === blockHeight
)

/** The execution phase. The order of its variables is part of the contract, because it changes gas. */
export const execPhaseInputs = (request: DataRequest, chainId: string, blockHeight: bigint, last: LastRun | undefined): PhaseInputs => {
  const { args, envs } = plainInputsOf(request, chainId, blockHeight)
  return { args, envs: last === undefined ? envs : [...envs, ...lastResultEnvs(last)] }
}

/** The reveals as the network writes them: this key order, no spaces, gas as a number. */
const revealsJson = (reveals: ReadonlyArray<Reveal>, drId: string, blockHeight: bigint): string => {
  const one = (reveal: Reveal): string =>
    `{"reveal":[${reveal.result.join(",")}],"dr_id":"${drId}","dr_block_height":${blockHeight},` +
    `"exit_code":${reveal.exitCode},"gas_used":${reveal.gasUsed},` +
    `"proxy_public_keys":${JSON.stringify(reveal.proxyPublicKeys)}}`
  return `[${reveals.map(one).join(",")}]`
}

/** What the tally phase of a request depends on beside reveals and height: texts only, which other threads receive cheaply. */
export interface TallyBase {
  readonly drId: string
  /** The first argument: the inputs in hex. */
  readonly inputs: string
  /** The bytes of the filter in hex. */
  readonly consensusFilter: string
  readonly replicationFactor: number
  /** The variables that depend on the request only, sorted by name. */
  readonly envs: PhaseInputs["envs"]
}

/** Computed once per request. */
export const tallyBaseOf: (request: DataRequest) => TallyBase = memoized((request: DataRequest) => {
  const drId = dataRequestIdOf(request)
  const envs: Array<readonly [string, string]> = [
    ["VM_MODE", "tally"],
    ["DR_ID", drId],
    ["DR_REPLICATION_FACTOR", String(request.replicationFactor)],
    ["EXEC_PROGRAM_ID", request.execProgramId],
    ["EXEC_INPUTS", toBase64(request.execInputs)],
    ["EXEC_GAS_LIMIT", String(request.execGasLimit)],
    ["TALLY_INPUTS", toBase64(request.tallyInputs)],
    ["TALLY_PROGRAM_ID", request.tallyProgramId],
    ["DR_TALLY_GAS_LIMIT", String(request.tallyGasLimit)],
    ["DR_GAS_PRICE", String(request.gasPrice)],
    ["DR_MEMO", toBase64(request.memo)],
    ["DR_PAYBACK_ADDRESS", ""]
  ]
  return {
    drId,
    inputs: toHex(request.tallyInputs),
    consensusFilter: toHex(request.consensusFilter),
    replicationFactor: request.replicationFactor,
    envs: envs.toSorted(([left], [right]) => (left < right ? -1 : 1))
  }
})

/** The tally phase: inputs in hex, the reveals, and for each reveal 0 if it is in consensus, 1 if it is an outlier. */
export const tallyPhaseInputs = (
  base: TallyBase,
  blockHeight: bigint,
  reveals: ReadonlyArray<Reveal>,
  consensus: { readonly reached: boolean; readonly outliers: ReadonlyArray<boolean> }
): PhaseInputs => ({
  args: [
    base.inputs,
    revealsJson(reveals, base.drId, blockHeight),
    `[${consensus.outliers.map((outlier) => (outlier ? 1 : 0)).join(",")}]`
  ],
  // Sorted by name, too.
  envs: [["BLOCK_HEIGHT", String(blockHeight)], ["CONSENSUS", String(consensus.reached)], ...base.envs]
})
