/** The parameters of the feed methods: an invalid one is refused by name, and of several always the same. */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { feedModes } from "../../contract/rpc.ts"
import { isJsonObject, readJson } from "../../domain/encoding/losslessJson.ts"
import type { ParameterPlace } from "../execution/executeParameters.ts"
import { readFeedId, readFeedStart } from "./rpcParams.ts"

const limits = { minPeriodMs: 100, maxPeriodMs: 1_000 }

const place = (params: object): ParameterPlace => {
  const read = readJson(JSON.stringify(params))
  if (!read.ok || !isJsonObject(read.value)) throw new Error("params are an object")
  return read.value
}

const messageOf = <A>(read: Either.Either<A, { readonly message: string }>): string =>
  Either.match(read, { onLeft: ({ message }) => message, onRight: () => "" })

const start = (params: object): string => messageOf(readFeedStart(place(params), limits))

const right = { execute: {}, periodicityMs: 100, mode: "FIXED" }
const periodRule = "periodicityMs: must be a whole number from 100 to 1000"
const executeRule = "execute: must be an object with the parameters of feed.execute"
const modeRule = "mode: must be one of FIXED, SEQUENTIAL, PARALLEL"

describe("feed.start", () => {
  test.each(feedModes)("of %s is read", (mode) => {
    expect(Either.getOrThrow(readFeedStart(place({ ...right, mode, periodicityMs: 1e3 }), limits))).toEqual({
      execute: new Map(),
      mode,
      periodMs: 1_000,
      share: false
    })
  })

  test("shares its runs when told so, in any form of a flag", () => {
    const shareOf = (share: unknown) => Either.getOrThrow(readFeedStart(place({ ...right, share }), limits)).share
    expect([true, "true", 1, "1", ""].map(shareOf)).toEqual([true, true, true, true, true])
    expect([false, "False", 0, null, undefined].map(shareOf)).toEqual([false, false, false, false, false])
  })

  test.each([
    [{ periodicityMs: undefined }, "periodicityMs: is required"],
    [{ periodicityMs: null }, "periodicityMs: is required"],
    ...[99, 1_001, 100.5, "100", true, [], {}, 1e300].map((periodicityMs) => [{ periodicityMs }, periodRule] as const),
    [{ mode: undefined }, "mode: is required"],
    ...["fixed", "", 1, [], {}].map((mode) => [{ mode }, modeRule] as const),
    [{ execute: undefined }, "execute: is required"],
    [{ execute: null }, "execute: is required"],
    ...[[], "{}", 1, true].map((execute) => [{ execute }, executeRule] as const),
    ...["yes", 2, [], {}].map((share) => [{ share }, "share: must be true, false, 1 or 0"] as const),
    [{ Share: true }, "Share: is not a parameter; did you mean share?"],
    [{ Mode: "FIXED" }, "Mode: is not a parameter; did you mean mode?"]
  ] as const)("with %j is refused: %s", (changed, message) => {
    expect(start({ ...right, ...changed })).toBe(message)
  })

  test("names the first of several errors: a missing schedule field, the period, the mode, the runs", () => {
    const wrong = { execute: 1, periodicityMs: 0, mode: "x" }
    expect(start({ ...wrong, mode: undefined })).toBe("mode: is required")
    expect(start(wrong)).toBe(periodRule)
    expect(start({ ...wrong, periodicityMs: 100 })).toBe(modeRule)
    expect(start({ ...wrong, ...right, execute: 1 })).toBe(executeRule)
    expect(start({})).toBe("periodicityMs: is required")
  })

  test("is read or refused, whatever the params are", () => {
    fc.assert(
      fc.property(fc.record({ execute: fc.jsonValue(), periodicityMs: fc.jsonValue(), mode: fc.jsonValue() }), (params) => {
        expect(start(params)).toMatch(/^(?:|(?:execute|periodicityMs|mode): .+)$/)
      })
    )
  })
})

describe("feed.stop", () => {
  test("takes any text as an id, and nothing else", () => {
    const stop = (params: object): string => messageOf(readFeedId(place(params)))
    expect(Either.getOrThrow(readFeedId(place({ feedId: "a" })))).toBe("a")
    expect([{}, { feedId: null }].map(stop)).toEqual(["feedId: is required", "feedId: is required"])
    expect([1, [], {}, false].map((feedId) => stop({ feedId }))).toEqual(Array.from({ length: 4 }, () => "feedId: must be a string"))
    expect(stop({ feed_id: "a" })).toBe("feed_id: is not a parameter; did you mean feedId?")
  })
})
