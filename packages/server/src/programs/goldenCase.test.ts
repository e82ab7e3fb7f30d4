/** Golden cases: what is read, what is refused, and that any outcome passes as its own expectation. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { ProgramOutcome } from "@sibyl/devkit"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { expectationOf, readGoldenCase, readUpdatedCase, recordedAnswers, recordedCase, runOfCase } from "./goldenCase.ts"
import { judgeCase } from "./judgeCase.ts"
import { resultBytes, resultText, shownResult } from "./shownResult.ts"

const phase = (exitCode: number, stderr: string, gasUsed: bigint, result: Uint8Array) => ({
  exitCode,
  stderr,
  gasUsed,
  result,
  stdout: ""
})

const outcomes: fc.Arbitrary<ProgramOutcome> = fc
  .record({
    exitCode: fc.nat(255),
    result: fc.oneof(
      fc.uint8Array(),
      fc.string().map((text) => new TextEncoder().encode(text))
    ),
    stderr: fc.oneof(fc.string({ unit: "binary" }), fc.constant("it broke (at [1.5])\n")),
    gas: fc.bigUintN(60),
    hasTally: fc.boolean(),
    response: fc.uint8Array()
  })
  .map(({ exitCode, gas, hasTally, response, result, stderr }) => ({
    programId: "",
    tallyProgramId: "",
    drId: "",
    text: "",
    gasUsed: gas,
    durationMs: 1,
    exitCode,
    result,
    exec: phase(hasTally ? 0 : exitCode, stderr, gas, result),
    tally: hasTally ? phase(exitCode, stderr, gas, result) : null,
    price: { base: 1n, gas: 1n, dataProxies: 0n, total: 2n },
    calls: [
      {
        url: "https://a.test/b",
        method: "POST",
        headers: {},
        body: new Uint8Array(),
        durationMs: 1,
        status: 201,
        failure: null,
        responseHeaders: [
          ["x-a", "1"],
          ["x-a", "2"]
        ],
        response
      }
    ],
    profiles: []
  }))

const program = new Uint8Array()

describe("a golden case", () => {
  it("passes with the run it was recorded from, after a JSON round trip, and its recording replays the same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(outcomes, async (outcome) => {
        const recorded = recordedCase({ program, execInputs: { a: 1 } }, outcome, 5)
        const read = Either.getOrThrow(readGoldenCase(JSON.parse(JSON.stringify(recorded))))
        expect(judgeCase(outcome, read.expect)).toEqual({ faults: [], gasChange: 0n })
        const request = { url: "https://a.test/b", method: "POST", headers: {}, body: new Uint8Array() }
        const answer = await recordedAnswers(read)(request)
        if (answer === undefined || "failure" in answer) throw new Error("nothing was recorded")
        expect(answer).toMatchObject({ status: 201, headers: { "x-a": "1, 2" } })
        const body = typeof answer.body === "string" ? new TextEncoder().encode(answer.body) : answer.body
        expect(body).toEqual(outcome.calls[0]?.response)
        expect(recordedAnswers(read)({ ...request, method: "GET" })).toBeUndefined()
        expect(runOfCase(read, program, undefined)).toMatchObject({ execInputs: { a: 1 }, clockMs: 5 })
      })
    )
  })

  it("fails with any other exit code, result or stderr, and only reports a change of gas", () => {
    fc.assert(
      fc.property(outcomes, fc.bigInt({ min: 1n, max: 9n }), (outcome, more) => {
        const expected = expectationOf(outcome, undefined)
        const faults = (change: Partial<ProgramOutcome>) => judgeCase({ ...outcome, ...change }, expected).faults.length
        expect(faults({ exitCode: outcome.exitCode + 1 })).toBe(1)
        expect(faults({ result: Uint8Array.of(...outcome.result, 0) })).toBe(1)
        expect(faults({ exec: { ...outcome.exec, stderr: `${outcome.exec.stderr}!` } })).toBe(1)
        const dearer = { ...outcome, exec: { ...outcome.exec, gasUsed: outcome.exec.gasUsed + more } }
        expect(judgeCase(dearer, expected)).toEqual({ faults: [], gasChange: more })
      })
    )
  })

  it("keeps a pattern that still matches, and requires an expectation", () => {
    fc.assert(
      fc.property(outcomes, (outcome) => {
        const before = { exitCode: 0, result: "", stderr: "^[^]*$" }
        expect(expectationOf(outcome, before).stderr).toBe("^[^]*$")
        expect(judgeCase(outcome, undefined).faults).toHaveLength(1)
      })
    )
  })

  it.each<[string, object]>([
    ["expect.exitCode", { expect: { exitCode: -1, result: "" } }],
    ["expect.result", { expect: { exitCode: 0, result: "0xabc" } }],
    ["expect.stderr", { expect: { exitCode: 0, result: "", stderr: "(" } }],
    ["time", { time: "yesterday" }],
    ["upstream.https://a.test.status", { upstream: { "https://a.test": { status: 1 } } }],
    ["exectInputs", { exectInputs: {} }]
  ])("is refused for its %s", (field, json) => {
    expect(Either.getOrThrow(Either.flip(readGoldenCase(json))).split(": ")[0]).toBe(field)
    // What is expected is about to be replaced; anything else is refused as before.
    const updated = readUpdatedCase(json)
    expect(Either.isRight(updated) ? updated.right : updated.left.split(": ")[0]).toEqual(field.startsWith("expect") ? {} : field)
  })
})

it.each([[[]], [null], ["a text"], [7]])("what is no object is refused in a few words: %j", (json) => {
  expect(readGoldenCase(json)).toEqual(Either.left("a case must be a JSON object"))
  expect(readUpdatedCase(json)).toEqual(Either.left("a case must be a JSON object"))
})

it("the example case in the programs documentation is valid", async () => {
  const page = await readFile(fileURLToPath(new URL("../../../../docs/PROGRAMS.md", import.meta.url)), "utf8")
  const [, text = ""] = /```json\n(\{\n {2}"execInputs"[^]*?)```/.exec(page) ?? []
  const shown = Either.getOrThrow(readGoldenCase(JSON.parse(text)))
  const [url = ""] = Object.keys(shown.upstream ?? {})
  const request = { url, method: "GET", headers: {}, body: new Uint8Array() }
  expect(await recordedAnswers(shown)(request)).toEqual({ status: 200, body: { price: "63521.5" } })
  expect(shown.expect).toMatchObject({ exitCode: 0, result: '{"price":63521.5}' })
})

describe("a result", () => {
  it("round-trips through its text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string().map((text) => new TextEncoder().encode(text))
        ),
        (bytes) => {
          expect(resultBytes(resultText(bytes))).toEqual(bytes)
        }
      )
    )
  })

  it("is shown in the requested encoding, or in hex if it is not valid in it", () => {
    const json = new TextEncoder().encode('{"price":1.50}')
    expect(shownResult(json, undefined)).toBe('{"price":1.50}')
    expect(shownResult(json, "json")).toBe('{"price":1.50}')
    expect(shownResult(json, "base64")).toBe("eyJwcmljZSI6MS41MH0=")
    for (const encoding of [undefined, "json", "utf8", "hex"] as const) {
      expect(shownResult(Uint8Array.of(255, 1), encoding)).toBe("0xff01")
    }
  })
})
