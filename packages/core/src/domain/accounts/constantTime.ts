/** Equality of secrets that takes the same time wherever they first differ. */

/** Whether two texts (hashes, of fixed length) are equal; the time depends on the length of `given` only. */
export const equalInConstantTime = (given: string, expected: string): boolean => {
  let difference = given.length ^ expected.length
  // Past the end `charCodeAt` is NaN, which counts as 0; the lengths have already told by then.
  for (let at = 0; at < given.length; at += 1) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  return difference === 0
}
