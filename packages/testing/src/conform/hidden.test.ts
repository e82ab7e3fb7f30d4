/** Keys and tickets in what a run shows. */
import { expect, it } from "vitest"
import { hiddenResult, hiding } from "./hidden.ts"

const key = "sibyl_local_0123456789ab_the-secret-part"

it.each([
  [`{"authorization":"Bearer ${key}"}`, '{"authorization":"Bearer KEY"}'],
  [`the key ${key}, and ${key}`, "the key KEY, and KEY"],
  [`a body that was cut: ${key.slice(0, -3)}… (900 characters)`, "a body that was cut: KEY… (900 characters)"],
  [JSON.stringify(JSON.stringify({ Authorization: "Bearer of-an-operator" })), String.raw`"{\"Authorization\":\"Bearer KEY\"}"`],
  [JSON.stringify(JSON.stringify({ ticket: "t-1", uses: 1 })), String.raw`"{\"ticket\":\"TICKET\",\"uses\":1}"`],
  ['{"ticket":"t-1"}', '{"ticket":"TICKET"}'],
  ["nothing of it", "nothing of it"]
])("hides in %s", (text, shown) => {
  expect(hiding([key, ""])(text)).toBe(shown)
})

it("hides a short key where it stands alone, and not within words", () => {
  expect(hiding(["e"])('fetch failed: the key "e", Bearer e, /e')).toBe('fetch failed: the key "KEY", Bearer KEY, /KEY')
  expect(hiding(["a.b"])("a.b axb a.bc")).toBe("KEY axb a.bc")
})

it("hides keys that are made later, and in every part of a result", () => {
  const keys = new Set<string>()
  const hide = hiding(keys)
  keys.add(key)
  const check = { what: key, ok: false, expected: key, actual: key }
  const hidden = { what: "KEY", ok: false, expected: "KEY", actual: "KEY" }
  expect(hiddenResult({ kind: "failed", failures: [check], unanswered: true }, hide)).toEqual({
    kind: "failed",
    failures: [hidden],
    unanswered: true
  })
  expect(hiddenResult({ kind: "passed", checks: 1, made: [check] }, hide)).toEqual({ kind: "passed", checks: 1, made: [hidden] })
  expect(hiddenResult({ kind: "skipped", reason: key }, hide)).toEqual({ kind: "skipped", reason: "KEY" })
})
