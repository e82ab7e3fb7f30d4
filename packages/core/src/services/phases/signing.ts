/** Dates, completes and signs a result. */
import { Context, Effect, Layer } from "effect"
import { toHex } from "../../domain/encoding/bytes.ts"
import { dataRequestIdOf } from "../../domain/protocol/dataRequestId.ts"
import { dataResultIdOf } from "../../domain/protocol/dataResultId.ts"
import type { DataRequest } from "../../domain/protocol/dataRequest.ts"
import type { DataResult } from "../../domain/protocol/dataResult.ts"
import { dataResultOf, type RunResult } from "../../domain/protocol/runResult.ts"
import { isListedAt, type ListedKey } from "../../domain/signingKeys/listedKey.ts"
import { ChosenTimes } from "../../domain/runs/chosenTimes.ts"
import type { ChosenTime } from "../../domain/runs/storedTime.ts"
import { ChainHead } from "../../ports/chainHead.ts"
import { Entropy, timeOrderedUuidOf } from "../../ports/entropy.ts"
import type { FollowingTally, RunSignature } from "../../ports/programRuntime.ts"
import { Signer } from "../../ports/signer.ts"
import { checkedSign, signatureBytes } from "../../ports/signing/checkedSign.ts"
import { Options } from "../settings/serviceOptions.ts"

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

/** A result with a timestamp that this server has chosen, and nobody has confirmed. */
export interface ChosenResult extends SignedResult {
  readonly chosen: ChosenTime
}

/** Signs outcomes so that any chain can verify them (decision D22). */
export class Signing extends Context.Tag("@sibyl/core/Signing")<
  Signing,
  {
    /** The key that signs now. */
    readonly publicKey: Effect.Effect<string>
    /** The keys that `GET /info` lists at `nowMs`; undefined if there is one, which does not change. */
    readonly listedKeys: (nowMs: number) => Effect.Effect<ReadonlyArray<ListedKey> | undefined>
    /** What a runtime needs to sign results where runs end; undefined if only the signer may, or only this service knows the time. */
    readonly elsewhere: Effect.Effect<FollowingTally["sign"]>
    /**
     * The timestamp is taken when the run ends, and strictly increases per project and drId, as far as this server knows. A signature that
     * the runtime has made is taken if its timestamp does; if not, the result is signed here.
     */
    readonly sign: (run: EndedRun) => Effect.Effect<ChosenResult>
    /** Signs with a timestamp that the store has given out, because the chosen one does not stand. */
    readonly signAgain: (run: EndedRun, timestampMs: number) => Effect.Effect<SignedResult>
    /** The same at once; `undefined` if that cannot be done. */
    readonly signAgainNow: (run: EndedRun, timestampMs: number) => SignedResult | undefined
    /** Signs a digest that is not a result's, with the key of this time: 65 bytes r‖s‖v. */
    readonly signOther: (digest: Uint8Array, timestampMs: number) => Effect.Effect<Uint8Array>
  }
>() {
  /** Over the signer and the chain's head. */
  static readonly layer = Layer.effect(
    Signing,
    Effect.gen(function* () {
      const signer = yield* Signer
      const signDigest = checkedSign(signer)
      const head = yield* ChainHead
      const { protocolVersion: version } = yield* Options
      const owner = yield* timeOrderedUuidOf(yield* Entropy)
      const times = new ChosenTimes()
      const threadKey = head.isClock === true ? signer.inThreads?.publicKey : undefined
      const keyAt = (timestampMs: number) => signer.rotation?.keyAt(timestampMs) ?? Effect.succeed(signer.publicKey)
      // After a rotation, threads have the old secret until they are replaced: they would sign in vain.
      const elsewhere = Effect.sync(() => (threadKey !== undefined && threadKey === signer.publicKey ? { version } : undefined))

      const resultAt = ({ outcome }: EndedRun, drId: string, blockHeight: bigint, timestampMs: number) =>
        dataResultOf({ version, drId, blockHeight, timestampMs }, outcome)
      const signedHere = (dataResult: DataResult) =>
        Effect.map(signDigest(dataResultIdOf(dataResult), Number(dataResult.blockTimestamp)), (signature): SignedResult => ({
          dataResult,
          signature: toHex(signature)
        }))

      const sign = Effect.fnUntraced(function* (run: EndedRun) {
        const { beganAtMs, projectId, request, signed } = run
        const drId = dataRequestIdOf(request)
        const { height, timestampMs: nowMs } = yield* head.head
        const isOurs = signed !== undefined && signed.publicKey === (yield* keyAt(signed.timestampMs))
        const proposedMs = isOurs ? signed.timestampMs : undefined
        // A time that this run did not see is none of its.
        const endedMs = proposedMs === undefined || proposedMs < beganAtMs || proposedMs > nowMs ? nowMs : proposedMs
        const timestampMs = times.next(`${projectId}/${drId}`, endedMs)
        const chosen: ChosenTime = { drId, timestampMs, owner }
        const dataResult = resultAt(run, drId, height, timestampMs)
        if (signed !== undefined && timestampMs === proposedMs) return { dataResult, signature: signed.signature, chosen }
        return { chosen, ...(yield* signedHere(dataResult)) }
      })

      const signAgain = Effect.fnUntraced(function* (run: EndedRun, timestampMs: number) {
        const drId = dataRequestIdOf(run.request)
        times.passed(`${run.projectId}/${drId}`, timestampMs)
        const { height } = yield* head.head
        return yield* signedHere(resultAt(run, drId, height, timestampMs))
      })

      const signAgainNow = (run: EndedRun, timestampMs: number): SignedResult | undefined => {
        // Of a chain, the head would have to be asked for.
        if (head.isClock !== true) return undefined
        const drId = dataRequestIdOf(run.request)
        const dataResult = resultAt(run, drId, 0n, timestampMs)
        const signature = signer.signNow?.(dataResultIdOf(dataResult), timestampMs)
        // One of another form is asked for again, and then a defect.
        if (signature?.length !== signatureBytes) return undefined
        times.passed(`${run.projectId}/${drId}`, timestampMs)
        return { dataResult, signature: toHex(signature) }
      }

      const listedKeys = (nowMs: number) =>
        signer.rotation === undefined
          ? Effect.succeed(undefined)
          : Effect.map(signer.rotation.listed, (keys) => keys.filter((key) => isListedAt(key, nowMs)))
      const publicKey = Effect.sync(() => signer.publicKey)

      return { publicKey, listedKeys, elsewhere, sign, signAgain, signAgainNow, signOther: signDigest }
    })
  )
}
