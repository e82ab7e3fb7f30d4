/** A signer that an embedder has made: what it makes is checked, and it cannot keep a run for ever. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, type Context, Effect, Exit, Fiber, TestClock } from "effect"
import { publicKeyOfSecret, signDigest, type Signer } from "../signer.ts"
import { checkedSign } from "./checkedSign.ts"

type Own = Context.Tag.Service<Signer>

const digest = new Uint8Array(32).fill(1)
const [secret, otherSecret] = [7, 8].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array]
const publicKey = publicKeyOfSecret(secret)
const signer = (fields: Pick<Own, "sign"> & Partial<Own>): Own => ({ publicKey, ...fields })
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The same signature with its other s, as services for keys make it every other time. */
const highS = (signature: Uint8Array): Uint8Array => {
  const s = order - BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString("hex")}`)
  const bytes = Buffer.from(s.toString(16).padStart(64, "0"), "hex")
  return Uint8Array.of(...signature.subarray(0, 32), ...bytes, 1 - (signature[64] ?? 0))
}

const withV = (change: (v: number) => number): Uint8Array => {
  const signature = signDigest(digest, secret)
  return signature.fill(change(signature[64] ?? 0), 64)
}
const defectOf = <A>(exit: Exit.Exit<A>): unknown => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : "none")

describe("checkedSign", () => {
  it.effect("passes 65 bytes on, and the time", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const sign: Own["sign"] = (...args) => Effect.sync(() => (asked.push(args), signDigest(digest, secret)))
      for (const own of [signer({ sign }), signer({ sign, signNow: () => undefined })]) {
        expect(yield* checkedSign(own)(digest, 5)).toEqual(signDigest(digest, secret))
      }
      expect(asked).toEqual([
        [digest, 5],
        [digest, 5]
      ])
    })
  )

  it.effect("refuses signatures of another length", () =>
    Effect.gen(function* () {
      for (const length of [0, 64, 66]) {
        const sign: Own["sign"] = () => Effect.succeed(new Uint8Array(length))
        for (const own of [signer({ sign }), signer({ sign, signNow: () => undefined })]) {
          const message = `the signer made a signature of ${length} bytes in place of 65`
          expect(defectOf(yield* Effect.exit(checkedSign(own)(digest)))).toMatchObject({ message })
        }
      }
    })
  )

  it.effect.each<readonly [string, Uint8Array, Partial<Own>, message: string]>([
    ["a high s", highS(signDigest(digest, secret)), {}, "no signature r‖s‖v with a low s"],
    ["a v of 27 and 28", withV((v) => v + 27), {}, "and a v of 0 or 1"],
    ["the other v", withV((v) => 1 - v), {}, "or the other v"],
    ["another key", signDigest(digest, otherSecret), {}, `one of ${publicKeyOfSecret(otherSecret)}`],
    ["another digest", signDigest(new Uint8Array(32).fill(2), secret), {}, "another digest"],
    ["a public key of another form", signDigest(digest, secret), { publicKey: `0x${publicKey}` }, `publicKey is 0x${publicKey}, but`]
  ])("verifies what takes a while to sign, and refuses %s", ([, signature, fields, message]) =>
    Effect.gen(function* () {
      const sign = () => Effect.succeed(signature)
      const exit = yield* Effect.exit(checkedSign(signer({ sign, ...fields }))(digest))
      expect(defectOf(exit)).toMatchObject({ message: expect.stringContaining(message) })
    })
  )

  it.effect("wants the key of the result's timestamp, where keys change", () =>
    Effect.gen(function* () {
      const keyAt = (timestampMs: number) => Effect.succeed(publicKeyOfSecret(timestampMs < 10 ? secret : otherSecret))
      const sign = () => Effect.succeed(signDigest(digest, secret))
      const checked = checkedSign(signer({ sign, rotation: { keyAt, listed: Effect.succeed([]) } }))
      expect(yield* checked(digest, 9)).toEqual(signDigest(digest, secret))
      expect(defectOf(yield* Effect.exit(checked(digest, 10)))).toMatchObject({ message: expect.stringContaining("another key") })
    })
  )

  it.effect("asks each time, and a signer that throws fails only then", () =>
    Effect.gen(function* () {
      let asked = 0
      const sign: Own["sign"] = () => {
        asked += 1
        throw new Error("the vault is sealed")
      }
      for (const own of [signer({ sign }), signer({ sign, signNow: () => undefined })]) {
        asked = 0
        const once = checkedSign(own)(digest)
        expect(asked).toBe(0)
        for (const time of [1, 2]) {
          expect(defectOf(yield* Effect.exit(once))).toMatchObject({ message: "the vault is sealed" })
          expect(asked).toBe(time)
        }
      }
    })
  )

  it.effect("waits half a minute, also for one that cannot be interrupted, where nothing may be", () =>
    Effect.gen(function* () {
      const never = Effect.uninterruptible(Effect.promise(() => new Promise<Uint8Array>(() => {})))
      const waiting = yield* Effect.fork(Effect.exit(Effect.uninterruptible(checkedSign(signer({ sign: () => never }))(digest))))
      yield* TestClock.adjust("29 seconds")
      expect(waiting.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 second")
      expect(defectOf(yield* Fiber.join(waiting))).toMatchObject({ message: "the signer has not answered within 30s" })
    })
  )

  it.effect("asks no further once it is given up", () =>
    Effect.gen(function* () {
      let isEnded = false
      const sign: Own["sign"] = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (isEnded = true)))
      const waiting = yield* Effect.fork(checkedSign(signer({ sign }))(digest))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting)
      yield* Effect.yieldNow()
      expect(isEnded).toBe(true)
    })
  )
})
