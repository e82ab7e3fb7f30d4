/** Whether the engine's stack has room for a host function, asked before it begins. */

/**
 * So many values take 64 KiB of stack as arguments, several times what any library that we call needs, also one that
 * runs for the first time and is being compiled.
 */
const values = Array.from({ length: 8_192 }, () => 0)

const nothing = (): void => {}

/**
 * Overflows the stack now where it could overflow later. Libraries catch what is thrown inside them and answer
 * something, so an overflow in their midst would not end the program but change what it is told.
 */
export const requireStackRoom = (): void => {
  // Not spread: that would iterate, and be a hundred times slower.
  Reflect.apply(nothing, undefined, values)
}
