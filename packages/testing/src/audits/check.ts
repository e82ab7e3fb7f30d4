/** Single checks as values: what was checked, whether it holds, the expected and the actual value. */

/** One comparison. `expected` and `actual` are texts for reports. */
export interface Check {
  readonly what: string
  readonly ok: boolean
  readonly expected?: string
  readonly actual?: string
}

const longest = 400

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text
}

/** Checks that two JSON values are equal, including the order of keys. `undefined` stands for an absent member. */
export const same = (what: string, actual: unknown, expected: unknown): Check => ({
  what,
  ok: JSON.stringify(actual) === JSON.stringify(expected),
  expected: shown(expected),
  actual: shown(actual)
})

/** Checks that a value is a text of a form. */
export const matches = (what: string, actual: unknown, form: RegExp): Check => ({
  what,
  ok: typeof actual === "string" && form.test(actual),
  expected: `text like ${form}`,
  actual: shown(actual)
})

/** Checks that a value is one of several; `more` is shown beside it. */
export const oneOf = <Value>(what: string, actual: Value, allowed: ReadonlyArray<Value>, ...more: ReadonlyArray<unknown>): Check => ({
  what,
  ok: allowed.includes(actual),
  expected: `one of ${shown(allowed)}`,
  actual: shown(more.length === 0 ? actual : [actual, ...more])
})

/** Checks a condition; `actual` is shown if it does not hold. */
export const holds = (what: string, ok: boolean, actual?: unknown): Check => ({
  what,
  ok,
  expected: "true",
  actual: shown(actual)
})

/** Checks that an object has exactly these keys in this order. */
export const keysAre = (what: string, actual: unknown, keys: ReadonlyArray<string>): Check =>
  same(what, typeof actual === "object" && actual !== null ? Object.keys(actual) : actual, keys)
