// @ts-check
/** Reproducible random numbers: the same seed gives the same numbers. */

/**
 * Numbers from 0 to below 1, by Marsaglia's xorshift32 ("Xorshift RNGs", 2003).
 * @param {number} seed
 * @returns {() => number}
 */
export const seededRandom = (seed) => {
  let state = (seed ^ 0x9e37_79b9) >>> 0 || 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 4_294_967_296
  }
  // The first numbers of neighbouring seeds are similar.
  for (let skipped = 0; skipped < 8; skipped += 1) next()
  return next
}
