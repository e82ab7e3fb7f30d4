/** Servers over one store of keys change at the same timestamp, also one that has not read it for a while; an outage costs nothing at first. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Exit, Layer, Redacted, TestClock } from "effect"
import type { ListedKey } from "../../domain/signingKeys/listedKey.ts"
import { activateKey, announceKey, leastNoticeMs } from "../../domain/signingKeys/rotation.ts"
import { recoverSigner } from "../../domain/protocol/resultSignature.ts"
import { layerRotatingSigner } from "./rotatingSigner.ts"
import { publicKeyOfSecret, signDigest, Signer } from "../signer.ts"

const secrets = new Map([7, 8].map((byte) => new Uint8Array(32).fill(byte)).map((secret) => [publicKeyOfSecret(secret), secret]))
const [first = "", second = ""] = secrets.keys()
const digest = new Uint8Array(32).fill(1)

/** A store of keys that can be away, and counts how often it is read. */
class KeyStore {
  keys: ReadonlyArray<ListedKey> = Either.getOrThrow(announceKey([], first, 0))
  isAway = false
  reads = 0

  rotate(nowMs: number, atMs: number): void {
    const announced = Either.getOrThrow(announceKey(this.keys, second, nowMs))
    this.keys = Either.getOrThrow(activateKey(announced, { nowMs, atMs, overlapMs: 1_000 }))
  }

  get server() {
    const layer = layerRotatingSigner({
      list: Effect.suspend(() => {
        this.reads += 1
        return this.isAway ? Effect.dieMessage("the store is away") : Effect.succeed(this.keys)
      }),
      secretOf: (publicKey) => Effect.sync(() => Redacted.make(secrets.get(publicKey) ?? new Uint8Array())),
      sign: signDigest
    })
    return Effect.provide(Signer, Layer.fresh(layer))
  }
}

describe("a signer over stored keys", () => {
  it.effect("signs each timestamp with its key, on every server, however long it has not read them", () =>
    Effect.gen(function* () {
      const store = new KeyStore()
      const [busy, idle] = [yield* store.server, yield* store.server]
      const signerOf = (server: typeof busy, timestampMs: number) =>
        Effect.map(server.sign(digest, timestampMs), (signature) => recoverSigner(digest, signature))
      store.rotate(0, leastNoticeMs)
      for (let atMs = 0; atMs < leastNoticeMs + 5_000; atMs += 1_000) {
        expect(yield* signerOf(busy, atMs)).toBe(atMs < leastNoticeMs ? first : second)
        yield* TestClock.adjust(1_000)
      }
      expect([yield* signerOf(idle, leastNoticeMs - 1), yield* signerOf(idle, leastNoticeMs)]).toEqual([first, second])
      expect([busy.publicKey, idle.publicKey]).toEqual([second, second])
      expect(yield* idle.rotation?.listed ?? Effect.succeed([])).toEqual(store.keys)
    })
  )

  it.effect("signs at once with a key that it has used, unless the keys are to be read again first", () =>
    Effect.gen(function* () {
      const store = new KeyStore()
      const server = yield* store.server
      const signed = (timestampMs: number) => server.signNow?.(digest, timestampMs)
      expect(signed(0)).toEqual(yield* server.sign(digest, 0))
      yield* TestClock.adjust(2_001)
      expect(signed(0)).toBeUndefined()
      store.rotate(2_001, 2_001 + leastNoticeMs)
      yield* server.sign(digest, 0)
      expect(recoverSigner(digest, signed(2_000 + leastNoticeMs) ?? digest)).toBe(first)
      // The secret of the next key is read by the first signature that waits for it.
      expect(signed(2_001 + leastNoticeMs)).toBeUndefined()
      yield* server.sign(digest, 2_001 + leastNoticeMs)
      expect(recoverSigner(digest, signed(2_001 + leastNoticeMs) ?? digest)).toBe(second)
    })
  )

  it.effect("does not start without the secret of the key that signs now, whether threads sign or not", () =>
    Effect.gen(function* () {
      const keys = Either.getOrThrow(announceKey([], first, 0))
      const options = { list: Effect.succeed(keys), secretOf: () => Effect.dieMessage("there is no secret"), sign: signDigest }
      for (const inThreads of [undefined, () => undefined]) {
        const layer = layerRotatingSigner({ ...options, ...(inThreads === undefined ? {} : { inThreads }) })
        expect(Exit.isFailure(yield* Effect.exit(Effect.provide(Signer, Layer.fresh(layer))))).toBe(true)
      }
    })
  )

  it.effect("reads the keys rarely, and goes on without their store for ten seconds, but not until a change could come", () =>
    Effect.gen(function* () {
      const store = new KeyStore()
      const server = yield* store.server
      const signed = Effect.exit(server.sign(digest, 5))
      yield* Effect.all(
        Array.from({ length: 50 }, () => signed),
        { concurrency: "unbounded" }
      )
      expect(store.reads).toBe(1)
      yield* TestClock.adjust(2_001)
      yield* Effect.all(
        Array.from({ length: 50 }, () => signed),
        { concurrency: "unbounded" }
      )
      expect(store.reads).toBe(2)
      store.isAway = true
      yield* TestClock.adjust(9_999)
      expect(Exit.isSuccess(yield* signed)).toBe(true)
      yield* Effect.all(
        Array.from({ length: 50 }, () => signed),
        { concurrency: "unbounded" }
      )
      expect(store.reads).toBe(3)
      yield* TestClock.adjust(2_001)
      expect(Exit.isFailure(yield* signed)).toBe(true)
      expect(yield* server.rotation?.listed ?? Effect.succeed([])).toEqual(store.keys)
      store.isAway = false
      expect(Exit.isSuccess(yield* signed)).toBe(true)
    })
  )
})
