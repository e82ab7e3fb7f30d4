/** GET and POST of one request give one drId, whatever its notation and wherever its parameters are (decision D5). */
import { soakCount } from "@sibyl/testing/soak"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dataRequestIdOf } from "../../domain/protocol/dataRequestId.ts"
import { dataRequestOf } from "../../domain/protocol/dataRequestOf.ts"
import { readJson } from "../../domain/encoding/losslessJson.ts"
import { defaultGasLimits } from "../../domain/settings/gasLimits.ts"
import { spelledRequests } from "../../testdata/spelledRequests.ts"
import { isParameterPlace, type ParameterPlace, readExecuteParameters } from "./executeParameters.ts"
import { splitTarget } from "../transport/target.ts"
import { readQuery } from "./query.ts"

const bodyPlace = (text: string): ParameterPlace => {
  const read = readJson(text)
  if (!read.ok || !isParameterPlace(read.value)) throw new Error(`not a body: ${text}`)
  return read.value
}

/** The drId, or the parameter that is refused. */
const outcomeOf = (target: string, body?: string): string =>
  Either.gen(function* () {
    const query = yield* readQuery(splitTarget(target).query)
    const places = body === undefined ? query : [...query, bodyPlace(body)]
    const { key } = yield* readExecuteParameters(places, 262_144)
    return dataRequestIdOf(dataRequestOf(key, defaultGasLimits, { replicationFactor: 1, consensusFilter: Uint8Array.of(0) }))
  }).pipe(Either.match({ onLeft: ({ details }) => `refused: ${String(details?.["parameter"])}`, onRight: (drId) => drId }))

describe("one request", () => {
  it("has one drId as GET and as POST", () => {
    const numRuns = soakCount({ everyday: 2_000, full: 10_000 })
    let identified = 0
    fc.assert(
      fc.property(spelledRequests(fc.hexaString({ minLength: 64, maxLength: 64 })), ({ get, post }) => {
        const outcome = outcomeOf(get)
        expect(outcomeOf(post.target, post.body)).toBe(outcome)
        if (!outcome.startsWith("refused")) identified += 1
      }),
      { numRuns }
    )
    // Enough of the requests must run, not share a refusal.
    expect(identified).toBeGreaterThan(numRuns / 2)
  })
})
