/** The seeds of runs, from the system's secure source. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"

const seedBytes = 32

/** Seeds of one draw: a draw takes 5 to 10 µs, however short it is. */
const seedsOfDraw = 128

/** 32 bytes for each run, each with a buffer of its own. */
export const secureSeeds = (): Effect.Effect<Uint8Array> => {
  let drawn = new Uint8Array()
  let at = 0
  return Effect.sync(() => {
    if (at >= drawn.length) {
      drawn = randomBytes(seedBytes * seedsOfDraw)
      at = 0
    }
    // A copy: a message with a part of a buffer carries the whole.
    const seed = Uint8Array.from(drawn.subarray(at, at + seedBytes))
    drawn.fill(0, at, at + seedBytes)
    at += seedBytes
    return seed
  })
}
