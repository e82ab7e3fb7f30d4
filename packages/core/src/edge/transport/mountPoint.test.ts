/** A mount point removes exactly its prefix, at a segment boundary of the path. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { belowMountPoint, checkedMountPoint } from "./mountPoint.ts"
import type { Service } from "./seam.ts"

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

const service = { fetch: () => Promise.resolve(undefined) } as unknown as Service

it("is refused if no target begins with it", () => {
  for (const prefix of ["oracle", "oracle/", "/oracle?", "/oracle#a", "https://example.com/oracle", "*"]) {
    expect(() => checkedMountPoint({ prefix }, service)).toThrow(expect.objectContaining({ _tag: "InvalidOption", option: "prefix" }))
  }
  for (const prefix of ["", "/", "/oracle", "/oracle/", "/a/b"]) expect(checkedMountPoint({ prefix }, service)).toEqual({ prefix })
  expect(checkedMountPoint({}, service)).toEqual({ prefix: "" })
  const refused = (option: string, rule: RegExp) =>
    expect.objectContaining({ _tag: "InvalidOption", option, rule: expect.stringMatching(rule) })
  for (const other of ["/oracle", null, 1]) {
    expect(() => checkedMountPoint(other as unknown as object, service)).toThrow(refused("options", /^must be an object/))
  }
  expect(() => checkedMountPoint({ prefix: 1 as unknown as string }, service)).toThrow(refused("prefix", /^must be empty/))
  expect(() => checkedMountPoint({ prefx: "/oracle" } as object, service)).toThrow(refused("prefx", /did you mean prefix\?/))
  expect(checkedMountPoint({ prefix: "/a", port: 1 } as object, service, { port: true })).toEqual({ prefix: "/a" })
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
