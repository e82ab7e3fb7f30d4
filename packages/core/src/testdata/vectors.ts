/** The golden data of the protocol, and for each kind a check of whether our code agrees with one entry. */
import { Effect, Layer, Redacted } from "effect"
import { fromHex, fromUtf8, toHex } from "../domain/encoding/bytes.ts"
import { reachConsensus } from "../domain/protocol/consensus.ts"
import {
  type ConsensusFilter,
  type FilterNumberType,
  filterNumberTypes,
  readConsensusFilter,
  writeConsensusFilter
} from "../domain/protocol/consensusFilter.ts"
import { dataRequestIdOf } from "../domain/protocol/dataRequestId.ts"
import { dataResultIdOf } from "../domain/protocol/dataResultId.ts"
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import type { DataResult } from "../domain/protocol/dataResult.ts"
import { readJsonPath } from "../domain/encoding/jsonPath.ts"
import { type Reveal, tallyBaseOf, tallyPhaseInputs } from "../domain/protocol/phaseInputs.ts"
import { programIdOf } from "../domain/programs/programId.ts"
import { recoverSigner } from "../domain/protocol/resultSignature.ts"
import { Signer } from "../ports/signer.ts"
import protocol from "./protocol.json" with { type: "json" }

/** The golden data as in the file. */
export const golden = protocol

type RawRequest = (typeof golden.drId)[number]["request"]
type RawResult = (typeof golden.resultId)[number]["result"]

/** The bytes of hex text that is known to be valid. */
export const bytesOf = (hex: string): Uint8Array => {
  const bytes = fromHex(hex)
  if (bytes === undefined) throw new Error(`the golden data has a malformed hex text: ${hex}`)
  return bytes
}

/** A recorded request in our own form. */
export const requestOf = (raw: RawRequest): DataRequest => ({
  version: raw.version,
  execProgramId: raw.execProgramId,
  execInputs: bytesOf(raw.execInputs),
  execGasLimit: BigInt(raw.execGasLimit),
  tallyProgramId: raw.tallyProgramId,
  tallyInputs: bytesOf(raw.tallyInputs),
  tallyGasLimit: BigInt(raw.tallyGasLimit),
  replicationFactor: raw.replicationFactor,
  consensusFilter: bytesOf(raw.consensusFilter),
  gasPrice: BigInt(raw.gasPrice),
  memo: bytesOf(raw.memo)
})

/** A recorded result in our own form. */
export const resultOf = (raw: RawResult): DataResult => ({
  version: raw.version,
  drId: raw.drId,
  consensus: raw.consensus,
  exitCode: raw.exitCode,
  result: bytesOf(raw.result),
  blockHeight: BigInt(raw.blockHeight),
  blockTimestamp: BigInt(raw.blockTimestamp),
  gasUsed: BigInt(raw.gasUsed),
  paybackAddress: bytesOf(raw.paybackAddress),
  servicePayload: bytesOf(raw.sedaPayload)
})

/** Checks that a recorded drId is the one that we compute. */
export const drIdHolds = ({ drId, request }: { readonly drId: string; readonly request: RawRequest }): boolean =>
  dataRequestIdOf(requestOf(request)) === drId

const testSigner = Effect.runSync(
  Effect.provide(Signer, Signer.layerFromSecret(Redacted.make(bytesOf(golden.testKey.privateKey))).pipe(Layer.orDie))
)

/** The public key of the test key, as our signer returns it. */
export const testPublicKey = testSigner.publicKey

/** Checks that a recorded result id is the one that we compute; if the test key's signature is recorded, ours has the same bytes. */
export const resultIdHolds = (vector: {
  readonly result: RawResult
  readonly resultId: string
  readonly signatureByTestKey_rfc6979?: string | undefined
}): boolean => {
  const digest = dataResultIdOf(resultOf(vector.result))
  const recorded = vector.signatureByTestKey_rfc6979
  return toHex(digest) === vector.resultId && (recorded === undefined || toHex(Effect.runSync(testSigner.sign(digest))) === recorded)
}

/** Checks a response of the public network: both ids, the gas sum and the signer's key. */
export const liveSampleHolds = (sample: {
  readonly dataRequest: RawRequest
  readonly dataResult: RawResult
  readonly execGasUsed: string
  readonly tallyGasUsed: string
  readonly signature: string
  readonly expect: { readonly drId: string; readonly resultId: string; readonly signerCompressed: string }
}): boolean => {
  const { dataResult, expect, signature } = sample
  const digest = dataResultIdOf(resultOf(dataResult))
  return (
    drIdHolds({ drId: expect.drId, request: sample.dataRequest }) &&
    dataResult.drId === expect.drId &&
    toHex(digest) === expect.resultId &&
    recoverSigner(digest, bytesOf(signature)) === expect.signerCompressed &&
    BigInt(sample.execGasUsed) + BigInt(sample.tallyGasUsed) === BigInt(dataResult.gasUsed)
  )
}

/** Checks that a program's id is the one that we compute from its bytes. */
export const programIdHolds = ({ id, wasmHex }: { readonly id: string; readonly wasmHex: string }): boolean =>
  programIdOf(bytesOf(wasmHex)) === id

type FilterVector = (typeof golden.consensusFilterEncoding)[number]

const numberTypeOf = (name: string | undefined): FilterNumberType => {
  const found = filterNumberTypes.find((type) => type === name)
  if (found === undefined) throw new Error(`the golden data has an unknown number type: ${name}`)
  return found
}

const filterOf = ({ jsonPath, method, numberType, sigma }: FilterVector["filter"]): ConsensusFilter => {
  const path = readJsonPath(jsonPath ?? "")
  if (method === "none" || jsonPath === undefined || path === undefined) return { method: "none" }
  return method === "mode"
    ? { method, jsonPath, path }
    : {
        method: "mad",
        jsonPath,
        path,
        sigmaMicros: BigInt(Math.round(Number(sigma) * 1e6)),
        numberType: numberTypeOf(numberType)
      }
}

/** Checks that a filter is encoded to the recorded bytes, and that these are decoded to the same filter. */
export const filterEncodingHolds = (vector: FilterVector): boolean => {
  const filter = filterOf(vector.filter)
  const read = readConsensusFilter(bytesOf(vector.hex))
  return (
    toHex(writeConsensusFilter(filter)) === vector.hex &&
    !("message" in read) &&
    toHex(writeConsensusFilter(read)) === vector.hex &&
    read.method === vector.filter.method
  )
}

/** One case of a filter over reveals, with the chain's verdict. */
export interface ConsensusCase {
  readonly name: string
  readonly consensusFilter: string
  readonly replicationFactor: number
  readonly reveals: ReadonlyArray<{
    readonly exitCode: number
    readonly revealUtf8: string
    readonly proxyPublicKeys: ReadonlyArray<string>
  }>
  readonly expect: {
    readonly consensus: boolean
    readonly outliers: ReadonlyArray<boolean> | null
    readonly error: string | null
  }
}

/** All recorded cases. */
export const consensusCases: ReadonlyArray<ConsensusCase> = golden.consensusFilterCases.cases

/** The reveals of a case in our own form. */
export const revealsOf = (reveals: ConsensusCase["reveals"]): ReadonlyArray<Reveal> =>
  reveals.map(({ exitCode, proxyPublicKeys, revealUtf8 }) => ({
    result: fromUtf8(revealUtf8),
    exitCode,
    gasUsed: 0n,
    proxyPublicKeys
  }))

/** Checks that the verdict on a case is the chain's. */
export const consensusCaseHolds = (consensusCase: ConsensusCase): boolean => {
  const { expect, replicationFactor, reveals } = consensusCase
  const verdict = reachConsensus(bytesOf(consensusCase.consensusFilter), replicationFactor, revealsOf(reveals))
  return (
    verdict.consensus === expect.consensus &&
    verdict.error === expect.error &&
    JSON.stringify(verdict.outliers) === JSON.stringify(expect.outliers)
  )
}

type TallyVector = (typeof golden.tallyArgs)[number]

/** Checks the tally's arguments for a recorded reveal of the service's own sample request. */
export const tallyArgsHold = ({ args, reveal, tallyInputsHex }: TallyVector): boolean => {
  const sample = golden.drId.find(({ drId }) => drId === reveal.drId)
  if (sample === undefined) return false
  const request = { ...requestOf(sample.request), tallyInputs: bytesOf(tallyInputsHex) }
  const shown: Reveal = {
    result: bytesOf(reveal.resultHex),
    exitCode: reveal.exitCode,
    gasUsed: BigInt(reveal.gasUsed),
    proxyPublicKeys: reveal.proxyPublicKeys
  }
  const inputs = tallyPhaseInputs(tallyBaseOf(request), BigInt(reveal.drBlockHeight), [shown], { reached: true, outliers: [false] })
  // Other tally inputs give another drId; the recorded arguments contain that of the sample.
  const named = inputs.args.map((arg) => arg.replaceAll(dataRequestIdOf(request), reveal.drId))
  return JSON.stringify(named) === JSON.stringify(args)
}
