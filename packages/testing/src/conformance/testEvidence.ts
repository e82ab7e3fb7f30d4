/** Evidence for a clause that is a test: its file and its title. */

/** A test by file and titles. */
export interface TestEvidence {
  /** Path in the repository. */
  readonly path: string
  /** The titles of the groups around the test and its own, joined by " > ", as written in the file. */
  readonly title: string
}

const separator = ".test.ts > "

/** Names a test of a file as evidence; a law of the stores is named by its text. */
export const testNamed = (path: string, title: string): string => `${path} > ${title}`

/** Parses what `testNamed` returned; `undefined` for any other evidence. */
export const readTestEvidence = (shownBy: string): TestEvidence | undefined => {
  const at = shownBy.indexOf(separator)
  if (at < 0) return undefined
  return { path: shownBy.slice(0, at + ".test.ts".length), title: shownBy.slice(at + separator.length) }
}
