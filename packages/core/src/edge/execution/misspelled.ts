/** Refuses a misspelled parameter and names the right one, because ignoring it would run without it (decision D5). */
import { InvalidParameter } from "../../contract/errors.ts"
import { editDistance } from "../../domain/settings/nearestName.ts"

/** At most this many unknown names are compared; nobody misspells more. */
const mostNames = 64

/** How much of an unknown name is repeated. */
export const longestEcho = 100

/** A name without letter case, `_`, `-` and what some clients append for lists and objects: `[]`, `[0]`, `[id]`. */
const plain = (name: string): string =>
  name
    .replace(/\[.*$/s, "")
    .replaceAll(/[\s_-]/g, "")
    .toLowerCase()

/** How many letters may differ: none in a short name, which may resemble an unrelated one. */
const tolerance = (length: number): number => (length < 6 ? 0 : length < 8 ? 1 : 2)

const meant = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const typed = plain(name)
  return known.find((right) => {
    const allowed = tolerance(right.length)
    // Long texts are not compared letter by letter.
    return Math.abs(typed.length - right.length) <= allowed && editDistance(typed, right.toLowerCase()) <= allowed
  })
}

/** The refusal of the first of these names that is a known one misspelled. Names that resemble none are ignored. */
export const misspelledIn = (names: Iterable<string>, known: ReadonlyArray<string>): InvalidParameter | undefined => {
  let unknown = 0
  for (const name of names) {
    if (known.includes(name)) continue
    unknown += 1
    if (unknown > mostNames) return undefined
    const right = meant(name, known)
    if (right !== undefined) {
      return InvalidParameter.because(name.slice(0, longestEcho), `is not a parameter; did you mean ${right}?`)
    }
  }
  return undefined
}
