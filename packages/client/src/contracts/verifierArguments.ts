/** A signed answer as the arguments of the verifier contract (`examples/evm-verifier`): hex with `0x`, whole numbers as bigint. */
import type { DataRequest, DataResult } from "../contract/records.ts"

/** Bytes as hex after `0x`. */
export type Hex = `0x${string}`

/** Anything that a service signed: the `data` of an answer, a report, or the answer itself. */
export type SignedAnswer = SignedParts | { readonly data: SignedParts }

/** What was signed, and the signature. */
export interface SignedParts {
  readonly dataRequest: DataRequest
  readonly dataResult: DataResult
  readonly signature: string
}

/** The contract's `DataRequest`. */
export interface RequestArgument {
  readonly version: string
  readonly execProgramId: Hex
  readonly execInputs: Hex
  readonly execGasLimit: bigint
  readonly tallyProgramId: Hex
  readonly tallyInputs: Hex
  readonly tallyGasLimit: bigint
  readonly replicationFactor: number
  readonly consensusFilter: Hex
  readonly gasPrice: bigint
  readonly memo: Hex
}

/** The contract's `DataResult`. */
export interface ResultArgument {
  readonly version: string
  readonly drId: Hex
  readonly consensus: boolean
  readonly exitCode: number
  readonly result: Hex
  readonly blockHeight: bigint
  readonly blockTimestamp: bigint
  readonly gasUsed: bigint
  readonly paybackAddress: Hex
  readonly servicePayload: Hex
}

/** The arguments of `verify` and `check`, in order. */
export type VerifierArguments = readonly [request: RequestArgument, result: ResultArgument, signature: Hex]

const hex = (text: string): Hex => `0x${text}`

const requestArgument = (request: DataRequest): RequestArgument => ({
  version: request.version,
  execProgramId: hex(request.execProgramId),
  execInputs: hex(request.execInputs),
  execGasLimit: BigInt(request.execGasLimit),
  tallyProgramId: hex(request.tallyProgramId),
  tallyInputs: hex(request.tallyInputs),
  tallyGasLimit: BigInt(request.tallyGasLimit),
  replicationFactor: request.replicationFactor,
  consensusFilter: hex(request.consensusFilter),
  gasPrice: BigInt(request.gasPrice),
  memo: hex(request.memo)
})

const resultArgument = (result: DataResult): ResultArgument => ({
  version: result.version,
  drId: hex(result.drId),
  consensus: result.consensus,
  exitCode: result.exitCode,
  result: hex(result.result),
  blockHeight: BigInt(result.blockHeight),
  blockTimestamp: BigInt(result.blockTimestamp),
  gasUsed: BigInt(result.gasUsed),
  paybackAddress: hex(result.paybackAddress),
  // The field has another name on the public network.
  servicePayload: hex(result.servicePayload ?? result.sedaPayload ?? "")
})

/** The arguments for an answer. What is not of its form is for the contract, or the library that encodes them, to refuse. */
export const verifierArguments = (answer: SignedAnswer): VerifierArguments => {
  const { dataRequest, dataResult, signature } = "data" in answer ? answer.data : answer
  return [requestArgument(dataRequest), resultArgument(dataResult), hex(signature)]
}
