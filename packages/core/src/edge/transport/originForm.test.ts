/** Every form of a request target gives the same path and query. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { originForm } from "./originForm.ts"

test.each([
  ["/health", "/health"],
  ["/", "/"],
  ["//evil/health", "//evil/health"],
  ["http://x/health?a=1", "/health?a=1"],
  ["HTTPS://x:8080/health", "/health"],
  ["http://x", "/"],
  ["http://x?a=1", "/?a=1"],
  ["http://x/health#a?b", "/health"],
  ["/health?u=http://x/y", "/health?u=http://x/y"]
])("%s is %s", (target, origin) => {
  expect(originForm(target)).toBe(origin)
})

test("an absolute form gives the same", () => {
  const path = fc.stringMatching(/^\/[a-z0-9/?=&%.:-]*$/)
  fc.assert(fc.property(path, (text) => originForm(`http://host:1${text}`) === originForm(text)))
})
