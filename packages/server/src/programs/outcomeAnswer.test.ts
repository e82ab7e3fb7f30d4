/** What `sibyl run` prints: the document that scripts rely on, field by field, and the lines for people. */
import type { ProgramOutcome } from "@sibyl/devkit"
import { describe, expect, it } from "vitest"
import { jsonDocument } from "../output/jsonDocument.ts"
import { paintWith } from "../output/paint.ts"
import { outcomeAnswer } from "./outcomeAnswer.ts"

const result = new TextEncoder().encode('{"price":1.50}')

const outcome: ProgramOutcome = {
  programId: "aa".repeat(32),
  tallyProgramId: "bb".repeat(32),
  drId: "cc".repeat(32),
  exitCode: 0,
  result,
  text: '{"price":1.50}',
  gasUsed: 19_000_000_000_001n,
  exec: { exitCode: 0, gasUsed: 12_000_000_000_001n, result, stdout: "one\ntwo\n", stderr: "" },
  tally: { exitCode: 0, gasUsed: 7_000_000_000_000n, result, stdout: "", stderr: "hm\n" },
  price: { base: 1n, gas: 20n, dataProxies: 5n, total: 26n },
  calls: [
    {
      url: "https://a.test/b",
      method: "POST",
      headers: {},
      body: Uint8Array.of(1, 2),
      durationMs: 12.345,
      status: 200,
      failure: null,
      responseHeaders: [],
      response: new Uint8Array(1_234)
    },
    {
      url: "https://a.test/c",
      method: "GET",
      headers: { authorization: "secret" },
      body: new Uint8Array(),
      durationMs: 0.04,
      status: 0,
      failure: "gone",
      responseHeaders: [],
      response: new Uint8Array()
    }
  ],
  profiles: [],
  durationMs: 15
}

const encoded = {
  hex: "0x7b227072696365223a312e35307d",
  base64: "eyJwcmljZSI6MS41MH0=",
  utf8: '{"price":1.50}',
  json: { price: 1.5 }
}

describe("the answer of a run", () => {
  it("is one document, field by field", () => {
    expect(JSON.parse(jsonDocument(outcomeAnswer(outcome, undefined).document))).toEqual({
      programId: outcome.programId,
      tallyProgramId: outcome.tallyProgramId,
      drId: outcome.drId,
      exitCode: 0,
      result: encoded,
      gasUsed: "19000000000001",
      phases: {
        exec: { exitCode: 0, gasUsed: "12000000000001", result: encoded, stdout: "one\ntwo\n", stderr: "" },
        tally: { exitCode: 0, gasUsed: "7000000000000", result: encoded, stdout: "", stderr: "hm\n" }
      },
      credits: { base: "1", gas: "20", dataProxies: "5", total: "26" },
      calls: [
        {
          method: "POST",
          url: "https://a.test/b",
          status: 200,
          failure: null,
          requestBytes: 2,
          responseBytes: 1_234,
          durationMs: 12.3
        },
        {
          method: "GET",
          url: "https://a.test/c",
          status: 0,
          failure: "gone",
          requestBytes: 0,
          responseBytes: 0,
          durationMs: 0
        }
      ],
      durationMs: 15
    })
  })

  it("shows people everything that happened, in colours if wanted", () => {
    const { lines } = outcomeAnswer(outcome, undefined)
    const plain = lines(paintWith(false))
    expect(plain.slice(2, 7)).toEqual([
      'result     {"price":1.50}',
      "exit code  execution 0, tally 0",
      "gas        execution 12,000,000,000,001, tally 7,000,000,000,000",
      "credits    26 (base 1, gas 20, data proxies 5)",
      "took       15 ms"
    ])
    expect(plain.slice(8)).toEqual([
      "request  status  bytes    ms  url",
      "POST        200  1,234  12.3  https://a.test/b",
      "GET        none      0   0.0  https://a.test/c  gone",
      "",
      "execution, stdout",
      "  one",
      "  two",
      "",
      "tally, stderr",
      "  hm"
    ])
    expect(lines(paintWith(true)).join("\n")).toContain("\u001b[32m0\u001b[0m")
    expect(lines(paintWith(true)).join("\n")).not.toContain("secret")
    expect(outcomeAnswer(outcome, "hex").lines(paintWith(false))[2]).toBe(`result     ${encoded.hex}`)
  })
})
