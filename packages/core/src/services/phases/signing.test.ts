/** Which signatures of a runtime are taken, which results are signed here instead, and that signers do not wait for each other. */
import { describe, expect, it } from "@effect/vitest"
import { type Context, Deferred, Effect, Layer, Redacted } from "effect"
import { fromHex, toHex } from "../../domain/encoding/bytes.ts"
import { dataRequestIdOf } from "../../domain/protocol/dataRequestId.ts"
import { dataRequestOf } from "../../domain/protocol/dataRequestOf.ts"
import { dataResultIdOf } from "../../domain/protocol/dataResultId.ts"
import { recoverSigner } from "../../domain/protocol/resultSignature.ts"
import { dataResultOf } from "../../domain/protocol/runResult.ts"
import { ChainHead } from "../../ports/chainHead.ts"
import { Entropy } from "../../ports/entropy.ts"
import type { RunSignature } from "../../ports/programRuntime.ts"
import { publicKeyOfSecret, type RotatingKeys, signDigest, Signer } from "../../ports/signer.ts"
import { Options, resolveOptions } from "../settings/serviceOptions.ts"
import { Signing } from "./signing.ts"

const network = { name: "testnet", chainId: "seda-1-testnet" }
const secret = Redacted.make(new Uint8Array(32).fill(7))
const nowMs = 1_700_000_000_000
const clock: Context.Tag.Service<ChainHead> = { head: Effect.succeed({ height: 0n, timestampMs: nowMs }), isClock: true }

const id = "ab".repeat(32)
const nothing = new Uint8Array()
const request = dataRequestOf(
  { execProgramId: id, execInputs: nothing, tallyProgramId: id, tallyInputs: nothing },
  { exec: 1n, tally: 1n },
  { replicationFactor: 1, consensusFilter: Uint8Array.of(0) }
)
const outcome = { consensus: true, exitCode: 0, result: Uint8Array.of(1, 2), gasUsed: 5n }
const ended = { projectId: "project", request, outcome, beganAtMs: nowMs - 50 }

const signerWith = (over: Partial<Context.Tag.Service<Signer>>) =>
  Layer.effect(
    Signer,
    Effect.map(Signer, (signer) => ({ ...signer, ...over }))
  ).pipe(Layer.provide(Signer.layerFromSecret(secret)))

const signing = <A, E>(
  use: Effect.Effect<A, E, Signing | Signer>,
  {
    head = clock,
    signer = {}
  }: { readonly head?: Context.Tag.Service<ChainHead>; readonly signer?: Partial<Context.Tag.Service<Signer>> } = {}
) =>
  Effect.provide(
    use,
    Signing.layer.pipe(
      Layer.provideMerge(signerWith(signer)),
      Layer.provide(Layer.succeed(ChainHead, head)),
      Layer.provide(Entropy.layer),
      Layer.provide(Layer.succeed(Options, resolveOptions({ network })))
    )
  )

/** The signature that a runtime would make at this time. */
const signedElsewhere = (timestampMs: number) =>
  Effect.map(Signer, ({ publicKey, sign }): RunSignature => {
    const result = dataResultOf({ version: "0.0.1", drId: dataRequestIdOf(request), blockHeight: 0n, timestampMs }, outcome)
    return { publicKey, timestampMs, signature: toHex(Effect.runSync(sign(dataResultIdOf(result)))) }
  })

const madeHere = "00".repeat(65)
const here = { sign: () => Effect.succeed(new Uint8Array(65)), signNow: () => undefined }

/** Signs a run that a runtime has signed, with a signer whose own signatures are zeros. */
const taken = (timestampMs: number, over: Partial<RunSignature> = {}) =>
  Effect.gen(function* () {
    const signed = { ...(yield* Effect.provide(signedElsewhere(timestampMs), Signer.layerFromSecret(secret))), ...over }
    const { dataResult, signature } = yield* Effect.flatMap(Signing, (service) => service.sign({ ...ended, signed }))
    const isTaken = signature === signed.signature
    expect(signature).toBe(isTaken ? signed.signature : madeHere)
    if (isTaken) expect(recoverSigner(dataResultIdOf(dataResult), fromHex(signature) ?? new Uint8Array())).toBe(signed.publicKey)
    return { isTaken, afterNowMs: Number(dataResult.blockTimestamp) - nowMs }
  })

describe("a signature of the runtime", () => {
  it.effect("is taken while its times increase, and replaced by a later one otherwise", () =>
    signing(
      Effect.gen(function* () {
        expect(yield* taken(nowMs - 3)).toEqual({ isTaken: true, afterNowMs: -3 })
        expect(yield* taken(nowMs - 3)).toEqual({ isTaken: false, afterNowMs: -2 })
        expect(yield* taken(nowMs - 2)).toEqual({ isTaken: false, afterNowMs: -1 })
        expect(yield* taken(nowMs)).toEqual({ isTaken: true, afterNowMs: 0 })
        // More than one run of the request in a millisecond.
        expect(yield* taken(nowMs + 1)).toEqual({ isTaken: true, afterNowMs: 1 })
      }),
      { signer: here }
    )
  )

  it.effect("is not taken with a time that the run did not see, or of another key", () =>
    signing(
      Effect.gen(function* () {
        expect(yield* taken(nowMs - 51)).toEqual({ isTaken: false, afterNowMs: 0 })
        expect(yield* taken(nowMs + 60_000)).toEqual({ isTaken: false, afterNowMs: 1 })
        expect(yield* taken(nowMs + 2, { publicKey: "02".repeat(33) })).toEqual({ isTaken: false, afterNowMs: 2 })
      }),
      { signer: here }
    )
  )

  it.effect("is of no use for a time that the store gives out; what is signed next is later", () =>
    signing(
      Effect.gen(function* () {
        const { sign, signAgain } = yield* Signing
        const run = { ...ended, signed: yield* Effect.provide(signedElsewhere(nowMs), Signer.layerFromSecret(secret)) }
        const first = yield* sign(run)
        const again = yield* signAgain(run, nowMs + 9)
        expect(again.dataResult).toEqual({ ...first.dataResult, blockTimestamp: BigInt(nowMs + 9) })
        expect(again.signature).not.toBe(first.signature)
        expect(recoverSigner(dataResultIdOf(again.dataResult), fromHex(again.signature) ?? nothing)).toBe(run.signed.publicKey)
        const next = yield* sign(run)
        expect(next.chosen).toEqual({ ...first.chosen, timestampMs: nowMs + 10 })
      })
    )
  )

  it.effect("with a time that the store gives out is the same at once, if the signer can and no chain has to be asked", () => {
    const both = Effect.gen(function* () {
      const { sign, signAgain, signAgainNow } = yield* Signing
      const run = { ...ended, signed: undefined }
      yield* sign(run)
      const now = signAgainNow(run, nowMs + 9)
      const { chosen } = yield* sign(run)
      return { now, later: yield* signAgain(run, nowMs + 9), nextMs: chosen.timestampMs }
    })
    return Effect.gen(function* () {
      const { later, nextMs, now } = yield* signing(both)
      expect(now).toEqual(later)
      expect(nextMs).toBe(nowMs + 10)
      const asked = yield* signing(both, { head: { head: clock.head } })
      expect([asked.now, asked.nextMs]).toEqual([undefined, nowMs + 1])
      expect((yield* signing(both, { signer: { signNow: () => undefined } })).now).toBeUndefined()
    })
  })

  it.effect("is asked for only if the signer lets threads sign and the time is the clock's", () => {
    const elsewhere = Effect.flatMap(Signing, (service) => service.elsewhere)
    const inThreads = { module: "file:///none.js", secret, publicKey: publicKeyOfSecret(Redacted.value(secret)) }
    return Effect.gen(function* () {
      expect(yield* signing(elsewhere)).toBeUndefined()
      expect(yield* signing(elsewhere, { signer: { inThreads } })).toEqual({ version: "0.0.1" })
      expect(yield* signing(elsewhere, { head: { head: clock.head }, signer: { inThreads } })).toBeUndefined()
      // After a rotation, they have the old key.
      expect(yield* signing(elsewhere, { signer: { inThreads: { ...inThreads, publicKey: "another" } } })).toBeUndefined()
    })
  })

  it.effect("of the old key is of no use from the timestamp on at which the next one signs", () => {
    const next = new Uint8Array(32).fill(8)
    const keys = [publicKeyOfSecret(Redacted.value(secret)), publicKeyOfSecret(next)]
    const fromMs = nowMs - 10
    const rotation: RotatingKeys = {
      keyAt: (timestampMs) => Effect.succeed(keys[timestampMs < fromMs ? 0 : 1] ?? ""),
      listed: Effect.succeed([])
    }
    const signDigestAt = (digest: Uint8Array, timestampMs = 0) =>
      Effect.sync(() => signDigest(digest, timestampMs < fromMs ? Redacted.value(secret) : next))
    return signing(
      Effect.gen(function* () {
        const { sign } = yield* Signing
        const old = Effect.provide(signedElsewhere(fromMs - 1), Signer.layerFromSecret(secret))
        const late = Effect.provide(signedElsewhere(fromMs), Signer.layerFromSecret(secret))
        const before = yield* sign({ ...ended, signed: yield* old })
        expect(before.chosen.timestampMs).toBe(fromMs - 1)
        expect(recoverSigner(dataResultIdOf(before.dataResult), fromHex(before.signature) ?? nothing)).toBe(keys[0])
        const after = yield* sign({ ...ended, signed: yield* late })
        expect(after.chosen.timestampMs).toBe(nowMs)
        expect(recoverSigner(dataResultIdOf(after.dataResult), fromHex(after.signature) ?? nothing)).toBe(keys[1])
      }),
      { signer: { rotation, sign: signDigestAt } }
    )
  })
})

describe("a slow signer", () => {
  it.effect("signs as many results at once as runs end", () =>
    Effect.gen(function* () {
      const runs = 20
      const all = yield* Deferred.make<void>()
      let pending = 0
      // As a remote one would: none of its answers comes before it has been asked by all.
      const sign = () =>
        Effect.suspend(() => {
          pending += 1
          return Effect.as(
            Effect.zipRight(pending === runs ? Deferred.succeed(all, undefined) : Effect.void, Deferred.await(all)),
            new Uint8Array(65)
          )
        })
      const one = Effect.flatMap(Signing, (service) => service.sign({ ...ended, signed: undefined }))
      const results = yield* signing(Effect.replicateEffect(one, runs, { concurrency: "unbounded" }), { signer: { sign } })
      const times = results.map(({ dataResult }) => Number(dataResult.blockTimestamp))
      expect(times.toSorted((left, right) => left - right)).toEqual(Array.from({ length: runs }, (_, at) => nowMs + at))
    })
  )
})
