/** The readings of `Accept-Encoding`. */
import { expect, it } from "vitest"
import { acceptsGzip } from "./acceptsGzip.ts"

it.each([
  ["gzip", true],
  ["GZIP", true],
  ["br, gzip;q=0.5", true],
  ["*", true],
  ["deflate, * ; q=0.1", true],
  ["gzip;q=1.000, *;q=0", true],
  ["", false],
  ["identity", false],
  ["br, deflate", false],
  ["gzip;q=0", false],
  ["gzip; q = 0.000, *", false],
  ["gzipped", false]
])("%j: %s", (header, accepted) => {
  expect(acceptsGzip(header)).toBe(accepted)
})

it("without the header nothing is compressed", () => {
  expect(acceptsGzip(undefined)).toBe(false)
})
