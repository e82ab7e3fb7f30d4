/** Pseudo-random numbers that are the same in every run with one seed. */

/** Draws from 0 to `below` - 1. */
export type Draw = (below: number) => number

/** A generator of 32 bits (mulberry32). */
export const seeded = (seed: number): Draw => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** One of several values. */
export const oneOf = <A>(draw: Draw, from: readonly [A, ...Array<A>]): A => from[draw(from.length)] ?? from[0]
