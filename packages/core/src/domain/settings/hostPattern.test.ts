/** Entries of a list of hosts: which are taken, and which hosts they name. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { allowsHost, readHostPattern } from "./hostPattern.ts"

test.each([
  ["api.example.com", "api.example.com"],
  ["API.Example.COM.", "api.example.com"],
  ["*.example.com", "*.example.com"],
  ["xn--n3h.example", "xn--n3h.example"],
  ["under_score.example", "under_score.example"],
  ["93.184.215.14", "93.184.215.14"],
  ["[2606:4700::1111]", "[2606:4700::1111]"]
])("takes %s", (text, pattern) => expect(readHostPattern(text)).toBe(pattern))

test.each([
  "",
  ".",
  "*",
  "*.",
  "a.*.example.com",
  "*example.com",
  "https://example.com",
  "example.com:443",
  "example.com/",
  "a..b",
  "-a.example",
  "a b",
  "a,b",
  "ü.example",
  "a\u0000.example",
  "a@b.example",
  `${"a".repeat(64)}.example`,
  "a.".repeat(127) + "b".repeat(10)
])("does not take %j", (text) => expect(readHostPattern(text)).toBeUndefined())

test("an entry names itself, *. every name below and not the name itself, and nothing else", () => {
  const label = fc.stringMatching(/^[a-z0-9]{1,8}$/)
  const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join("."))
  fc.assert(
    fc.property(name, label, name, (host, below, other) => {
      expect(allowsHost([host], host)).toBe(true)
      expect(allowsHost([`*.${host}`], host)).toBe(false)
      expect(allowsHost([other, `*.${host}`], `${below}.${host}`)).toBe(true)
      expect(allowsHost([host, `*.${host}`], `${below}${host}`)).toBe(false)
      expect(allowsHost([], host)).toBe(false)
      expect(allowsHost([host], other)).toBe(host === other)
    })
  )
})
