/** GET and POST of one request give one drId, however it is spelled and wherever its parts stand (decision D5). */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dataRequestIdOf } from "../domain/dataRequestId.ts"
import { dataRequestOf } from "../domain/dataRequestOf.ts"
import { readJson } from "../domain/losslessJson.ts"
import { defaultGasLimits } from "../domain/project.ts"
import { isParameterPlace, type ParameterPlace, readExecuteParameters } from "./executeParameters.ts"
import { readQuery, splitTarget } from "./query.ts"

const bodyPlace = (text: string): ParameterPlace => {
  const read = readJson(text)
  if (!read.ok || !isParameterPlace(read.value)) throw new Error(`not a body: ${text}`)
  return read.value
}

/** The drId, or the parameter that is refused. */
const outcomeOf = (target: string, body?: string): string =>
  Either.gen(function*() {
    const query = yield* readQuery(splitTarget(target).query)
    const places = body === undefined ? query : [...query, bodyPlace(body)]
    const { key } = yield* readExecuteParameters(places, 262_144)
    return dataRequestIdOf(dataRequestOf(key, defaultGasLimits, { replicationFactor: 1, consensusFilter: Uint8Array.of(0) }))
  }).pipe(
    Either.match({ onLeft: ({ details }) => `refused: ${String(details?.["parameter"])}`, onRight: (drId) => drId })
  )

const hexId = fc.hexaString({ minLength: 64, maxLength: 64 })
/** The spellings of one id. */
const spelled = (id: string): fc.Arbitrary<string> =>
  fc.constantFrom(id, `0x${id}`, id.toUpperCase(), `0X${id.toUpperCase()}`)

const input = fc.oneof(
  fc.fullUnicodeString({ maxLength: 30 }),
  fc.constantFrom("", "0x", "0x00ff", "a+b c%20", "0xabc", '{"a":1}', "é", "AA=="),
  fc.base64String({ maxLength: 20 }),
  fc.hexaString({ maxLength: 20 }).map((digits) => `0x${digits}`)
)

/** An input as an object of a body, beside the text that a query carries for it. */
const structured = fc
  .oneof(
    fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 })),
    fc.array(fc.jsonValue({ maxDepth: 1 }))
  )
  .map((value) => JSON.stringify(value))
  .map((text) => ({ query: text, body: text }))

const asText = input.map((text) => ({ query: text, body: JSON.stringify(text) }))

const request = fc.record({
  exec: hexId.chain((id) => fc.tuple(spelled(id), spelled(id))),
  tally: fc.option(
    hexId.chain((id) => fc.tuple(spelled(id), spelled(id))),
    { nil: undefined }
  ),
  encoding: fc.constantFrom(undefined, "auto", "hex", "utf8", "base64"),
  execInputs: fc.option(fc.oneof(asText, structured), { nil: undefined }),
  tallyInputs: fc.option(asText, { nil: undefined }),
  inQuery: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  plus: fc.boolean()
})

describe("one request", () => {
  it("has one drId as GET and as POST", () => {
    let identified = 0
    fc.assert(
      fc.property(request, ({ encoding, exec, execInputs, inQuery, plus, tally, tallyInputs }) => {
        // A structured input is its own JSON whatever the encoding; a query can only carry it as text.
        const isStructured = execInputs !== undefined && execInputs.query === execInputs.body
        const inputEncoding = isStructured ? undefined : encoding
        const parameters = [
          ["execProgramId", exec[0], JSON.stringify(exec[1])],
          ["tallyProgramId", tally?.[0], JSON.stringify(tally?.[1])],
          ["inputEncoding", inputEncoding, JSON.stringify(inputEncoding)],
          ["execInputs", execInputs?.query, execInputs?.body],
          ["tallyInputs", tallyInputs?.query, tallyInputs?.body]
        ] as const
        const pair = (name: string, value: string): string => {
          const percent = encodeURIComponent(value)
          return `${name}=${plus ? percent.replaceAll("%20", "+") : percent}`
        }
        const given = parameters.filter(([, value]) => value !== undefined)
        const get = `/execute?${given.map(([name, value]) => pair(name, value ?? "")).join("&")}`
        const query = given
          .filter((_, index) => inQuery[index] ?? false)
          .map(([name, value]) => pair(name, value ?? ""))
        const members = given
          .filter((_, index) => !(inQuery[index] ?? false))
          .map(([name, , text]) => `"${name}":${text}`)
        const outcome = outcomeOf(get)
        expect(outcomeOf(`/execute?${query.join("&")}`, `{${members.join(",")}}`)).toBe(outcome)
        if (!outcome.startsWith("refused")) identified += 1
      }),
      { numRuns: 10_000 }
    )
    // Enough of them must be requests that run, not twins of the same refusal.
    expect(identified).toBeGreaterThan(5_000)
  })
})
