/** The signer as runs use it: a signature of another form is a defect, and one that does not come ends the run. */
import { type Context, Deferred, Duration, Effect, Fiber } from "effect"
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

/** Its `sign`. One that cannot sign at once may be another machine, which need not answer. */
export const checkedSign = ({ sign, signNow }: Context.Tag.Service<Signer>): Context.Tag.Service<Signer>["sign"] => {
  if (signNow !== undefined) return (digest, timestampMs) => Effect.flatMap(sign(digest, timestampMs), checked)
  return (digest, timestampMs) => Effect.flatMap(firstOf(sign(digest, timestampMs), Effect.delay(late, signsWithin)), checked)
}
