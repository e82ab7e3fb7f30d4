/** What a person is told of a name that does not resolve. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { unknownHost } from "./unknownHost.ts"

test("a name that nobody can have is called one that DNS does not know, or does not answer for", async () => {
  expect(await Effect.runPromise(unknownHost("https://nothing.invalid/path"))).toMatch(/^DNS .+ name nothing\.invalid$/)
})

test("a name or an address that resolves is not", async () => {
  for (const url of ["http://localhost:1", "ws://127.0.0.1:1/ws/v1", "http://[::1]:1"]) {
    expect(await Effect.runPromise(unknownHost(url))).toBeUndefined()
  }
})
