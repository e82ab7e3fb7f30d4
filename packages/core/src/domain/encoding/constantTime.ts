/** Equality of secrets in a time that does not depend on where they differ. */

/** Whether two texts (hashes, of fixed length) are equal; the time depends on the length of `given` only. */
export const equalInConstantTime = (given: string, expected: string): boolean => {
  let difference = given.length ^ expected.length
  // Past the end `charCodeAt` is NaN, which counts as 0; the length comparison has already decided by then.
  for (let at = 0; at < given.length; at += 1) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  return difference === 0
}
