/** A mount point removes exactly its prefix, at a segment boundary of the path. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { belowMountPoint } from "./mountPoint.ts"

it.each([
  ["/execute?a=1", "", "/execute?a=1"],
  ["/oracle/execute?a=1", "/oracle", "/execute?a=1"],
  ["/oracle/execute", "/oracle/", "/execute"],
  ["/oracle", "/oracle", "/"],
  ["/oracle?a=/b", "/oracle", "/?a=/b"],
  ["/oracles/execute", "/oracle", undefined],
  ["/elsewhere", "/oracle", undefined],
  ["/elsewhere?to=/oracle/execute", "/oracle", undefined],
  ["*", "", undefined]
])("%s below %s is %s", (target, prefix, expected) => {
  expect(belowMountPoint(target, { prefix })).toBe(expected)
})

const segment = fc.stringMatching(/^[a-z0-9._~%-]{1,8}$/)
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`)
const query = fc.option(
  fc.stringMatching(/^[a-z0-9=&/?+%-]{0,12}$/).map((text) => `?${text}`),
  { nil: "" }
)

it("returns any path below a prefix unchanged", () => {
  fc.assert(
    fc.property(path, path, query, (prefix, rest, search) => {
      expect(belowMountPoint(`${prefix}${rest}${search}`, { prefix })).toBe(`${rest}${search}`)
    })
  )
})

it("never matches a longer segment", () => {
  fc.assert(
    fc.property(path, segment, (prefix, more) => {
      expect(belowMountPoint(`${prefix}${more}/execute`, { prefix })).toBeUndefined()
    })
  )
})
