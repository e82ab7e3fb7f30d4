/** The explanation of a host name that does not resolve. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { unknownHost } from "./unknownHost.ts"

test.each([
  ["ENOTFOUND", "DNS knows no host of the name prices.example"],
  ["EAI_AGAIN", "DNS does not answer for the name prices.example"],
  ["ESERVFAIL", "DNS does not resolve the name prices.example"]
])("%s of the resolver is explained", async (code, told) => {
  const resolve = (): Promise<never> => Promise.reject(Object.assign(new Error(), { code }))
  expect(await Effect.runPromise(unknownHost("https://prices.example/path", resolve))).toBe(told)
})

test("a name or an address that resolves is not reported", async () => {
  for (const url of ["http://localhost:1", "ws://127.0.0.1:1/ws/v1", "http://[::1]:1"]) {
    expect(await Effect.runPromise(unknownHost(url))).toBeUndefined()
  }
})
