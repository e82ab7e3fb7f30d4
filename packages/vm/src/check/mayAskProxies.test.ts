/** Credits for data proxies are held for every program that imports the call, and for no others. */
import { encodeModule, hostImport } from "@sibyl/testing/wasm"
import { expect, it } from "vitest"
import { mayAskProxies } from "./mayAskProxies.ts"

it("is true for a program that imports the call", () => {
  const asking = encodeModule({ imports: [hostImport.proxyHttpFetch], functions: [{ code: [] }] })
  const plain = encodeModule({ imports: [hostImport.procExit], functions: [{ code: [] }] })
  expect([mayAskProxies(asking), mayAskProxies(plain)]).toEqual([true, false])
  // A module may be part of a larger buffer, whose other bytes do not matter.
  const both = Uint8Array.from([...asking, ...plain])
  expect(mayAskProxies(both.subarray(asking.length))).toBe(false)
})
