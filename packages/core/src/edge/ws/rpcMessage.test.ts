/** Reading a message: a request, or the error that answers it, for any text (decision D17). */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mostRequestValues } from "../execution/requestJson.ts"
import { rpcMethods } from "../../contract/rpc.ts"
import { JsonNumber } from "../../domain/encoding/losslessJson.ts"
import { readRpcMessage } from "./rpcMessage.ts"

/** Code and id of the refusal; undefined when the message is a request. */
const refusalOf = (text: string): { readonly code: number; readonly id: string | null } | undefined => {
  const read = readRpcMessage(text)
  return Either.isLeft(read) ? { code: read.left.failure.rpcCode, id: read.left.id } : undefined
}

const right = { jsonrpc: "2.0", id: "7", method: "feed.execute", params: {} }

describe("a valid request", () => {
  test.each(rpcMethods)("of %s is read", (method) => {
    const read = readRpcMessage(JSON.stringify({ ...right, method, params: { feedId: "a", periodicityMs: 100 } }))
    expect(Either.getOrThrow(read)).toEqual({
      id: "7",
      method,
      params: new Map<string, unknown>([
        ["feedId", "a"],
        ["periodicityMs", new JsonNumber("100")]
      ])
    })
  })

  test("keeps its exact id, even an empty one", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString(), (id) => {
        expect(Either.getOrThrow(readRpcMessage(JSON.stringify({ ...right, id })))).toMatchObject({ id })
      })
    )
  })

  test("may have members of any kind beside its own, in any order, with space around", () => {
    const own = fc.shuffledSubarray(Object.entries(right), { minLength: 4 })
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), own, (others, shuffled) => {
        const text = ` \n${JSON.stringify(Object.fromEntries([...Object.entries(others), ...shuffled]))}\t`
        expect(refusalOf(text)).toBeUndefined()
      })
    )
  })
})

describe("an invalid request is answered with", () => {
  const without = (name: keyof typeof right): string => JSON.stringify({ ...right, [name]: undefined })
  const withValue = (name: keyof typeof right, value: unknown): string => JSON.stringify({ ...right, [name]: value })

  test.each([
    "",
    " ",
    "{",
    '{"id":}',
    "nul",
    "{'id':'7'}",
    "[1,]",
    '{"a":1,}',
    "\u0000",
    "{} {}",
    "NaN",
    "+1",
    "01",
    "\ufeff{}",
    `${"[".repeat(1_000)}${"]".repeat(1_000)}`,
    JSON.stringify({ ...right, params: { execInputs: Array.from({ length: mostRequestValues }, () => 1) } })
  ])("32700 and no id: %j", (text) => {
    expect(refusalOf(text)).toEqual({ code: 32_700, id: null })
  })

  test.each([
    "null",
    "true",
    "1",
    '"feed.execute"',
    "[]",
    `[${JSON.stringify(right)}]`,
    "{}",
    without("jsonrpc"),
    withValue("jsonrpc", "1.0"),
    withValue("jsonrpc", 2),
    withValue("jsonrpc", null),
    without("id"),
    withValue("id", 7),
    withValue("id", null),
    withValue("id", ["7"]),
    without("method"),
    withValue("method", 1),
    withValue("method", null)
  ])("32600 and no id: %j", (text) => {
    expect(refusalOf(text)).toEqual({ code: 32_600, id: null })
  })

  test.each(["", "feed", "feed.Execute", "feed.execute ", "authorized", "feed.result", "constructor", "__proto__"])(
    "32601 and its id: method %j",
    (method) => {
      expect(refusalOf(withValue("method", method))).toEqual({ code: 32_601, id: "7" })
    }
  )

  test.each([without("params"), ...[null, [], "{}", 1].map((value) => withValue("params", value))])("32602 and its id: %j", (text) => {
    expect(refusalOf(text)).toEqual({ code: 32_602, id: "7" })
  })
})

describe("for any text", () => {
  const members = fc.record(
    {
      jsonrpc: fc.oneof(fc.constant("2.0"), fc.jsonValue()),
      id: fc.oneof(fc.string(), fc.jsonValue()),
      method: fc.oneof(fc.constantFrom(...rpcMethods), fc.string(), fc.jsonValue()),
      params: fc.oneof(fc.constant({}), fc.jsonValue())
    },
    { requiredKeys: [] }
  )

  const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

  /** The table of decision D17, from the first rule that is broken. */
  const expected = ({ id, jsonrpc, method, params }: Partial<Record<keyof typeof right, unknown>>) => {
    if (jsonrpc !== "2.0" || typeof id !== "string" || typeof method !== "string") return { code: 32_600, id: null }
    if (!rpcMethods.some((known) => known === method)) return { code: 32_601, id }
    return isObject(params) ? undefined : { code: 32_602, id }
  }

  test("an object of any members is refused by the first rule that it breaks", () => {
    fc.assert(
      fc.property(members, (message) => {
        expect(refusalOf(JSON.stringify(message))).toEqual(expected(JSON.parse(JSON.stringify(message))))
      }),
      { numRuns: 3_000 }
    )
  })

  test("a damaged request is read or refused, and it is 32700 exactly when the text is no JSON", () => {
    const damage = fc.record({ at: fc.nat(), drop: fc.nat(3), insert: fc.string({ maxLength: 3 }) })
    const params = { execProgramId: "00".repeat(32), execInputs: { a: [1.5, true, null] } }
    const text = JSON.stringify({ ...right, params })
    const isJson = (damaged: string): boolean => {
      try {
        JSON.parse(damaged)
        return true
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(damage, ({ at, drop, insert }) => {
        const place = at % text.length
        const damaged = text.slice(0, place) + insert + text.slice(place + drop)
        expect(refusalOf(damaged)?.code === 32_700).toBe(!isJson(damaged))
      }),
      { numRuns: 3_000 }
    )
  })
})
