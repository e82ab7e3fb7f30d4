/** What a run shows, without the keys that it uses: a service may repeat them anywhere in what it answers. */
import type { AuditResult } from "../audits/audit.ts"
import type { Check } from "../audits/check.ts"

/** A text without keys. */
export type Hide = (text: string) => string

/** Of a key that was cut off with its text, no more than this may be left: any key has as much that is no secret. */
const shortest = 12

/** Of a short key any word may have the letters: it is looked for as a word of its own. */
const withoutShortKey = (text: string, key: string): string => {
  const literal = key.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`)
  return text.replaceAll(new RegExp(`(?<![A-Za-z0-9_])${literal}(?![A-Za-z0-9_])`, "g"), "KEY")
}

/** Also where the text was cut within the key. */
const withoutKey = (text: string, key: string): string => {
  if (key.length < shortest) return withoutShortKey(text, key)
  let shown = text.replaceAll(key, "KEY")
  for (let length = key.length - 1; length >= shortest; length -= 1) shown = shown.replaceAll(`${key.slice(0, length)}…`, "KEY…")
  return shown
}

/** Hides these keys wherever they occur; those that are added later, too. */
export const hiding =
  (keys: Iterable<string>): Hide =>
  (text) =>
    [...keys]
      .filter((key) => key !== "")
      .reduce(withoutKey, text)
      // Keys that an operator makes during an audit may not be in the list.
      .replaceAll(/(authorization[\\":\s]*bearer\s+)[^"\s\\]+/gi, "$1KEY")
      // A ticket lets its bearer in, if only for minutes.
      .replaceAll(/(\\?"ticket\\?":\s*\\?")[^"\\]+/g, "$1TICKET")

const hiddenCheck = (check: Check, hide: Hide): Check => ({
  ...check,
  what: hide(check.what),
  ...(check.expected === undefined ? {} : { expected: hide(check.expected) }),
  ...(check.actual === undefined ? {} : { actual: hide(check.actual) })
})

/** How an audit ended, without keys. */
export const hiddenResult = (result: AuditResult, hide: Hide): AuditResult => {
  switch (result.kind) {
    case "failed":
      return { ...result, failures: result.failures.map((check) => hiddenCheck(check, hide)) }
    case "skipped":
      return { ...result, reason: hide(result.reason) }
    case "passed":
      return result.made === undefined ? result : { ...result, made: result.made.map((check) => hiddenCheck(check, hide)) }
  }
}
