/** Which known name was probably meant by a mistyped one. */

/** How many letters to insert, remove or replace to make both texts equal (Levenshtein distance). */
export const editDistance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (const [above, letter] of Array.from(left).entries()) {
    const next = [above + 1]
    for (let at = 1; at <= right.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (right[at - 1] === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}

/** The known name nearest to a mistyped one; `undefined` if none is near. Letter case does not count. */
export const nearestName = (name: string, known: Iterable<string>): string | undefined => {
  const typed = name.toLowerCase()
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const lower = candidate.toLowerCase()
    // A name without its group counts as near: gasPerCredit is tariff.gasPerCredit.
    const distance = lower.endsWith(`.${typed}`) ? 1 : editDistance(typed, lower)
    if (best === undefined || distance < best.distance) best = { name: candidate, distance }
  }
  return best !== undefined && best.distance <= Math.max(2, Math.floor(name.length / 3)) ? best.name : undefined
}

/** A hint to append to a sentence; empty if nothing is near. */
export const didYouMean = (name: string, known: Iterable<string>): string => {
  const nearest = nearestName(name, known)
  return nearest === undefined ? "" : `; did you mean ${nearest}?`
}
