/** Dates, completes and signs a result. */
import { Context, Effect, Layer } from "effect"
import { toHex } from "../domain/encoding/bytes.ts"
import { dataRequestIdOf } from "../domain/protocol/dataRequestId.ts"
import { dataResultIdOf } from "../domain/protocol/dataResultId.ts"
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import type { DataResult } from "../domain/protocol/dataResult.ts"
import { dataResultOf, type RunResult } from "../domain/protocol/runResult.ts"
import { ChainHead } from "../ports/chainHead.ts"
import type { FollowingTally, RunSignature } from "../ports/programRuntime.ts"
import { ResultStore } from "../ports/resultStore.ts"
import { Signer } from "../ports/signer.ts"
import { onceReachable } from "./onceReachable.ts"
import { Options } from "./serviceOptions.ts"

/** A run whose phases have ended. */
export interface EndedRun {
  readonly projectId: string
  readonly request: DataRequest
  readonly outcome: RunResult
  /** When it began, by the head of the chain, ms since the Unix epoch. */
  readonly beganAtMs: number
  /** The runtime's signature of its result, if it has made one. */
  readonly signed: RunSignature | undefined
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
    /** What a runtime needs to sign results where runs end; undefined if only the signer may, or only this service knows the time. */
    readonly elsewhere: FollowingTally["sign"]
    /**
     * The timestamp is taken when the run ends, and strictly increases per project and drId. A signature that the runtime has made is
     * taken if its timestamp does; if not, the result is signed here.
     */
    readonly sign: (run: EndedRun) => Effect.Effect<SignedResult>
  }
>() {
  /** Over the signer, the chain's head and the reserved timestamps. */
  static readonly layer = Layer.effect(
    Signing,
    Effect.gen(function* () {
      const signer = yield* Signer
      const head = yield* ChainHead
      const results = yield* ResultStore
      const { protocolVersion: version } = yield* Options
      const elsewhere = signer.inThreads !== undefined && head.isClock === true ? { version } : undefined
      const sign = Effect.fnUntraced(function* ({ beganAtMs, outcome, projectId, request, signed }: EndedRun) {
        const drId = dataRequestIdOf(request)
        const { height: blockHeight, timestampMs: nowMs } = yield* head.head
        const proposedMs = signed?.publicKey === signer.publicKey ? signed.timestampMs : undefined
        // A time that this run did not see is none of its.
        const endedMs = proposedMs === undefined || proposedMs < beganAtMs || proposedMs > nowMs ? nowMs : proposedMs
        const timestampMs = yield* onceReachable(results.reserveTimestamp(projectId, drId, endedMs))
        const dataResult = dataResultOf({ version, drId, blockHeight, timestampMs }, outcome)
        if (signed !== undefined && timestampMs === proposedMs) return { dataResult, signature: signed.signature }
        return { dataResult, signature: toHex(yield* signer.sign(dataResultIdOf(dataResult))) }
      })
      return { publicKey: signer.publicKey, elsewhere, sign }
    })
  )
}
