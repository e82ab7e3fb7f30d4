/** Evidence for a clause that is a test: the file it is in, and which test of it. */

/** A test by the file that holds it and its titles there. */
export interface TestEvidence {
  /** Path in the repository. */
  readonly path: string
  /** The titles of the groups around the test and its own, joined by " > ", as they are written in the file. */
  readonly title: string
}

const separator = ".test.ts > "

/** Names a test of a file, as a clause holds it; a law of the stores is named by its sentence. */
export const testNamed = (path: string, title: string): string => `${path} > ${title}`

/** Reads what `testNamed` wrote; `undefined` for any other evidence. */
export const readTestEvidence = (shownBy: string): TestEvidence | undefined => {
  const at = shownBy.indexOf(separator)
  if (at < 0) return undefined
  return { path: shownBy.slice(0, at + ".test.ts".length), title: shownBy.slice(at + separator.length) }
}
