/** The port to unguessable random bytes: ids and key secrets. Effect's `Random` is for what may be guessed. */
import { randomBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer } from "effect"
import { timeOrderedUuid, uuidOf } from "../domain/encoding/uuid.ts"

const pooledBytes = 4_096
/** The largest draw that comes from the pool. */
const smallBytes = 64

/**
 * Random bytes for small draws, asked of the system many at a time: one such call costs twenty times more than copying
 * the bytes. What was handed out is wiped at once, so that it cannot be found in memory later.
 */
const makePool = (): ((count: number) => Uint8Array) => {
  let pool = new Uint8Array()
  let used = 0
  return (count) => {
    if (count > smallBytes) return randomBytes(count)
    if (used + count > pool.length) {
      pool = randomBytes(pooledBytes)
      used = 0
    }
    const drawn = pool.slice(used, used + count)
    pool.fill(0, used, used + count)
    used += count
    return drawn
  }
}

/** Gives random bytes fit for secrets. */
export class Entropy extends Context.Tag("@sibyl/core/Entropy")<
  Entropy,
  {
    readonly bytes: (count: number) => Effect.Effect<Uint8Array>
    /** The same at once, for who is not in an effect. */
    readonly unsafeBytes: (count: number) => Uint8Array
  }
>() {
  /** The runtime's own generator. */
  static readonly layer: Layer.Layer<Entropy> = Layer.sync(Entropy, () => entropyOf(makePool()))

  /** A random UUID (version 4). */
  static readonly uuid: Effect.Effect<string, never, Entropy> = Effect.flatMap(Entropy, (entropy) => Effect.map(entropy.bytes(16), uuidOf))

  /** The id of a request or a run: a UUID (version 7) that sorts behind those of earlier milliseconds. */
  static readonly timeOrderedUuid: Effect.Effect<string, never, Entropy> = Effect.flatMap(Entropy, (entropy) => timeOrderedUuidOf(entropy))
}

/** The port over a generator of so many bytes. */
export const entropyOf = (draw: (count: number) => Uint8Array): Entropy["Type"] => ({
  bytes: (count) => Effect.sync(() => draw(count)),
  unsafeBytes: draw
})

/** The id of a request or a run for who has the port already: no service has to be provided for each id. */
export const timeOrderedUuidOf = (entropy: Entropy["Type"]): Effect.Effect<string> =>
  Effect.clockWith((clock) => Effect.map(entropy.bytes(16), (bytes) => timeOrderedUuid(clock.unsafeCurrentTimeMillis(), bytes)))

/** A random UUID (version 4) at once, for who is not in an effect. */
export const unsafeUuidOf = (entropy: Entropy["Type"]): string => uuidOf(entropy.unsafeBytes(16))
