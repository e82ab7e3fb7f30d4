/** Reproducible random numbers: the same seed gives the same numbers. */

/** Whole numbers from 0 to below `below`. */
export type Random = (below: number) => number

/** Marsaglia's xorshift32 ("Xorshift RNGs", 2003), good enough to choose moments. */
export const seededRandom = (seed: number): Random => {
  let state = (seed ^ 0x9e37_79b9) >>> 0 || 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
  // The first numbers of neighbouring seeds are similar.
  for (let skipped = 0; skipped < 8; skipped += 1) next()
  return (below) => next() % below
}

/** A seed for this run, or the one in the environment, to repeat a run. */
export const chosenSeed = (): number => Number(process.env["SIBYL_SEED"] ?? Date.now() % 1_000_000_000)
