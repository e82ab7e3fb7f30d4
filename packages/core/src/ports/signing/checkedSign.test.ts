/** A signer that an embedder has made: what it makes is checked, and it cannot keep a run for ever. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, type Context, Effect, Exit, Fiber, TestClock } from "effect"
import type { Signer } from "../signer.ts"
import { checkedSign } from "./checkedSign.ts"

type Own = Context.Tag.Service<Signer>

const digest = new Uint8Array(32)
const signer = (fields: Pick<Own, "sign"> & Partial<Own>): Own => ({ publicKey: "02".repeat(33), ...fields })
const defectOf = <A>(exit: Exit.Exit<A>): unknown => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : "none")

describe("checkedSign", () => {
  it.effect("passes 65 bytes on, and the time", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const sign: Own["sign"] = (...args) => Effect.sync(() => (asked.push(args), new Uint8Array(65).fill(3)))
      for (const own of [signer({ sign }), signer({ sign, signNow: () => undefined })]) {
        expect(yield* checkedSign(own)(digest, 5)).toEqual(new Uint8Array(65).fill(3))
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
