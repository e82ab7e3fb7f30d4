/** Access to arbitrary values from `JSON.parse`. */

/** A member of an object by name; `undefined` if there is none. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined

/** Whether two parsed values are equal; the order of keys does not count. */
export const sameJson = (left: unknown, right: unknown): boolean => {
  // A worklist instead of recursion: a result may nest deeper than the stack allows.
  const pairs: Array<readonly [unknown, unknown]> = [[left, right]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair
    if (a === b) continue
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
    const names = Object.keys(a)
    if (Array.isArray(a) !== Array.isArray(b) || names.length !== Object.keys(b).length) return false
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false
      pairs.push([memberOf(a, name), memberOf(b, name)])
    }
  }
  return true
}
