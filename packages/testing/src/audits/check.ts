/** Single checks as values: what was looked at, whether it was right, what was expected and what was found. */

/** One comparison. `expected` and `actual` are texts for people. */
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

/** Two JSON values are the same, the order of keys included. `undefined` stands for a member that is absent. */
export const same = (what: string, actual: unknown, expected: unknown): Check => ({
  what,
  ok: JSON.stringify(actual) === JSON.stringify(expected),
  expected: shown(expected),
  actual: shown(actual)
})

/** A value is a text of a form. */
export const matches = (what: string, actual: unknown, form: RegExp): Check => ({
  what,
  ok: typeof actual === "string" && form.test(actual),
  expected: `text like ${form}`,
  actual: shown(actual)
})

/** A condition holds; `actual` is shown when it does not. */
export const holds = (what: string, ok: boolean, actual?: unknown): Check => ({
  what,
  ok,
  expected: "true",
  actual: shown(actual)
})

/** An object has exactly these keys in this order. */
export const keysAre = (what: string, actual: unknown, keys: ReadonlyArray<string>): Check =>
  same(what, typeof actual === "object" && actual !== null ? Object.keys(actual) : actual, keys)
