/** Which addresses of servers are taken, and what a refusal names. */
import { Either, Option } from "effect"
import { expect, test } from "vitest"
import { serverAddress } from "./serverAddress.ts"

const said = (...given: Parameters<typeof serverAddress>) => Either.getOrElse(serverAddress(...given), ({ message }) => message)

test("an address is taken from the option, else from the environment", () => {
  const environment = { SIBYL_URL: "https://oracle.test" }
  expect(said(Option.some("http://127.0.0.1:1/sibyl"), environment)).toBe("http://127.0.0.1:1/sibyl")
  expect(said(Option.none(), environment)).toBe("https://oracle.test")
  expect(said(Option.some("wss://oracle.test"), {}, "webSocket")).toBe("wss://oracle.test")
})

test("what is no address is refused by the name under which it was given", () => {
  const rule = "must be the address of a server, such as http://127.0.0.1:8717, not"
  expect(said(Option.some(""), { SIBYL_URL: "https://oracle.test" })).toBe(`--url ${rule} ""`)
  expect(said(Option.some("ws://oracle.test"), {})).toBe(`--url ${rule} "ws://oracle.test"`)
  expect(said(Option.none(), { SIBYL_URL: "here" }, "webSocket")).toBe(`SIBYL_URL ${rule} "here"`)
  // Nor is a password repeated.
  const hidden = "must be the address of a server, such as http://127.0.0.1:8717, without user, password and query"
  expect(said(Option.some("http://me:word@oracle.test"), {})).toBe(`--url ${hidden}`)
  expect(said(Option.none(), { SIBYL_URL: "wss://word@oracle.test" }, "webSocket")).toBe(`SIBYL_URL ${hidden}`)
  // Nor is what would not be sent ignored.
  expect(said(Option.some("http://oracle.test/?key=word"), {})).toBe(`--url ${hidden}`)
  expect(said(Option.none(), { SIBYL_PORT: "none" })).toBe(`the address of SIBYL_PORT and SIBYL_PREFIX ${rule} "http://127.0.0.1:none"`)
})
