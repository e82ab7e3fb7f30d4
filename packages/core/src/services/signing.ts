/** Dates, completes and signs a result. */
import { Context, Effect, Layer } from "effect"
import { toHex } from "../domain/encoding/bytes.ts"
import { dataRequestIdOf } from "../domain/protocol/dataRequestId.ts"
import { dataResultIdOf, signedExitCode } from "../domain/protocol/dataResultId.ts"
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import type { DataResult } from "../domain/protocol/dataResult.ts"
import { ChainHead } from "../ports/chainHead.ts"
import { ResultStore } from "../ports/resultStore.ts"
import { Signer } from "../ports/signer.ts"
import { onceReachable } from "./onceReachable.ts"
import { Options } from "./serviceOptions.ts"

/** The outcome of the phases. */
export interface RunResult {
  readonly consensus: boolean
  /** The phase's exit code; it is signed as one byte. */
  readonly exitCode: number
  readonly result: Uint8Array
  readonly gasUsed: bigint
}

/** A result with its signature, 130 lowercase hex characters. */
export interface SignedResult {
  readonly dataResult: DataResult
  readonly signature: string
}

/** Signs outcomes so that any chain can verify them (decision D22). */
export class Signing extends Context.Tag("@sibyl/core/Signing")<
  Signing,
  {
    readonly publicKey: string
    /** The timestamp is taken when the run ends, and strictly increases per project and drId. */
    readonly sign: (projectId: string, request: DataRequest, outcome: RunResult) => Effect.Effect<SignedResult>
  }
>() {
  /** Over the signer, the chain's head and the reserved timestamps. */
  static readonly layer = Layer.effect(
    Signing,
    Effect.gen(function* () {
      const signer = yield* Signer
      const head = yield* ChainHead
      const results = yield* ResultStore
      const { protocolVersion } = yield* Options
      const sign = Effect.fnUntraced(function* (projectId: string, request: DataRequest, outcome: RunResult) {
        const drId = dataRequestIdOf(request)
        const { height, timestampMs } = yield* head.head
        const blockTimestampMs = yield* onceReachable(results.reserveTimestamp(projectId, drId, timestampMs))
        const dataResult: DataResult = {
          version: protocolVersion,
          drId,
          consensus: outcome.consensus,
          exitCode: signedExitCode(outcome.exitCode),
          result: outcome.result,
          blockHeight: height,
          blockTimestamp: BigInt(blockTimestampMs),
          gasUsed: outcome.gasUsed,
          paybackAddress: new Uint8Array(),
          servicePayload: new Uint8Array()
        }
        return { dataResult, signature: toHex(yield* signer.sign(dataResultIdOf(dataResult))) }
      })
      return { publicKey: signer.publicKey, sign }
    })
  )
}
