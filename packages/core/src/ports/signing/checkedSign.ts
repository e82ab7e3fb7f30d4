/** The signer as runs use it: a signature that nobody could verify is a defect, and one that does not come ends the run. */
import { type Context, Deferred, Duration, Effect, Fiber } from "effect"
import { recoverSigner } from "../../domain/protocol/resultSignature.ts"
import type { Signer } from "../signer.ts"

/** Long for a signer in another country, and short for a client that waits. */
const signsWithin = Duration.seconds(30)

const late = Effect.dieMessage(`the signer has not answered within ${Duration.format(signsWithin)}`)

/** Whichever ends first, also where nothing may be interrupted, and without waiting for the end of the other. */
const firstOf = <A>(...effects: ReadonlyArray<Effect.Effect<A>>): Effect.Effect<A> =>
  Effect.gen(function* () {
    const first = yield* Deferred.make<A>()
    const fork = (effect: Effect.Effect<A>) => Effect.forkDaemon(Effect.interruptible(Effect.intoDeferred(effect, first)))
    const fibers = yield* Effect.forEach(effects, fork)
    return yield* Effect.ensuring(Deferred.await(first), Effect.forEach(fibers, Fiber.interruptFork, { discard: true }))
  })

/** r‖s‖v. */
export const signatureBytes = 65

const checked = (signature: Uint8Array): Effect.Effect<Uint8Array> =>
  signature.length === signatureBytes
    ? Effect.succeed(signature)
    : Effect.dieMessage(`the signer made a signature of ${signature.length} bytes in place of ${signatureBytes}`)

/** Services for keys give DER, a high s every other time and no v: what is made of that is easily wrong, and the result would be charged. */
const verified = (digest: Uint8Array, signature: Uint8Array, publicKey: string): Effect.Effect<Uint8Array> => {
  const signedBy = (signature[64] ?? 0) > 1 ? undefined : recoverSigner(digest, signature)
  if (signedBy === publicKey) return Effect.succeed(signature)
  return Effect.dieMessage(
    signedBy === undefined
      ? "the signer made 65 bytes that are no signature r‖s‖v with a low s and a v of 0 or 1"
      : `the signer's publicKey is ${publicKey}, but its signature is one of ${signedBy}: another key, another digest, or the other v`
  )
}

/**
 * Its `sign`. One that cannot sign at once may be another machine: it need not answer, and what it answers is verified. A signer that fails
 * before it gives an Effect fails when it is asked.
 */
export const checkedSign = (signer: Context.Tag.Service<Signer>): Context.Tag.Service<Signer>["sign"] => {
  const { rotation, signNow } = signer
  const signed = (digest: Uint8Array, timestampMs?: number) => Effect.suspend(() => signer.sign(digest, timestampMs))
  if (signNow !== undefined) return (digest, timestampMs) => Effect.flatMap(signed(digest, timestampMs), checked)
  return Effect.fnUntraced(function* (digest, timestampMs) {
    const signature = yield* Effect.flatMap(firstOf(signed(digest, timestampMs), Effect.delay(late, signsWithin)), checked)
    const publicKey = timestampMs === undefined || rotation === undefined ? signer.publicKey : yield* rotation.keyAt(timestampMs)
    return yield* verified(digest, signature, publicKey)
  })
}
