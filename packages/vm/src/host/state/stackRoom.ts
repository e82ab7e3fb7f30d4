/** Checks before a host function whether the engine's stack has room for it. */

/**
 * As arguments these take 64 KiB of stack, several times what any called library needs, even when it runs for the first time and is being
 * compiled.
 */
const values = Array.from({ length: 8_192 }, () => 0)

const nothing = (): void => {}

/**
 * Overflows the stack now where it could overflow later. Libraries catch exceptions inside them and return a value, so an overflow within
 * one would not end the program but give it a wrong result.
 */
export const requireStackRoom = (): void => {
  // Not spread, because iterating would be a hundred times slower.
  Reflect.apply(nothing, undefined, values)
}
