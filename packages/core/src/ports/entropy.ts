/** The port to unguessable random bytes: ids and key secrets. Effect's `Random` is only for values that may be guessed. */
import { randomBytes } from "@noble/hashes/utils.js"
import { type Clock, Context, Effect, Layer } from "effect"
import { timeOrderedUuid, uuidOf } from "../domain/encoding/uuid.ts"

const pooledBytes = 4_096
/** The largest draw that comes from the pool. */
const smallBytes = 64
/** The most that the system gives at once. */
const mostBytes = 65_536

/** Any number of bytes from the system. */
const drawAnew = (count: number): Uint8Array => {
  if (count <= mostBytes) return randomBytes(count)
  const drawn = new Uint8Array(count)
  for (let at = 0; at < count; at += mostBytes) drawn.set(randomBytes(Math.min(mostBytes, count - at)), at)
  return drawn
}

/**
 * Random bytes for small draws, requested from the system in blocks, because a call costs twenty times more than copying
 * the bytes. Bytes are wiped from the pool once drawn, so that they cannot be found in memory later.
 */
const makePool = (): ((count: number) => Uint8Array) => {
  let pool = new Uint8Array()
  let used = 0
  return (count) => {
    if (count > smallBytes) return drawAnew(count)
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

/** Generates random bytes fit for secrets. */
export class Entropy extends Context.Tag("@sibyl/core/Entropy")<
  Entropy,
  {
    readonly bytes: (count: number) => Effect.Effect<Uint8Array>
    /** The same, synchronously, for code outside of effects. */
    readonly unsafeBytes: (count: number) => Uint8Array
  }
>() {
  /** The runtime's own generator. */
  static readonly layer: Layer.Layer<Entropy> = Layer.sync(Entropy, () => entropyOf(makePool()))

  /** A random UUID (version 4). */
  static readonly uuid: Effect.Effect<string, never, Entropy> = Effect.flatMap(Entropy, (entropy) => Effect.map(entropy.bytes(16), uuidOf))

  /** The id of a request or a run: a UUID (version 7) that sorts after those of earlier milliseconds. */
  static readonly timeOrderedUuid: Effect.Effect<string, never, Entropy> = Effect.flatMap(Entropy, (entropy) => timeOrderedUuidOf(entropy))
}

/** The port over a function that generates a number of bytes. */
export const entropyOf = (draw: (count: number) => Uint8Array): Entropy["Type"] => ({
  bytes: (count) => Effect.sync(() => draw(count)),
  unsafeBytes: draw
})

/** The id of a request or a run, for code that already holds the port, so that no service is looked up per id. */
export const timeOrderedUuidOf = (entropy: Entropy["Type"]): Effect.Effect<string> =>
  Effect.clockWith((clock) => Effect.map(entropy.bytes(16), (bytes) => timeOrderedUuid(clock.unsafeCurrentTimeMillis(), bytes)))

/** The same, synchronously, for code outside of effects. */
export const unsafeTimeOrderedUuidOf = (entropy: Entropy["Type"], clock: Clock.Clock): string =>
  timeOrderedUuid(clock.unsafeCurrentTimeMillis(), entropy.unsafeBytes(16))

/** A random UUID (version 4), synchronously, for code outside of effects. */
export const unsafeUuidOf = (entropy: Entropy["Type"]): string => uuidOf(entropy.unsafeBytes(16))
