/** `testOracleProgram`: real programs on the real engine, their world in the test's hands. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { fromUtf8, toHex } from "@sibyl/core/internal"
import { proxyProgram } from "@sibyl/testing"
import { layerHttpFetch } from "@sibyl/vm/http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openDataProxy } from "../dataProxy/openDataProxy.ts"
import { buildTimeoutMs, builtProgram } from "./testdata/builtProgram.ts"
import { compileProgram } from "./testdata/compileProgram.ts"
import { goldenCases } from "./testdata/goldenCases.ts"
import { openProgramBench, type ProgramBench, ProgramRunRefused } from "./programBench.ts"
import { testOracleProgram } from "./testOracleProgram.ts"

const echo = `
import {
  exit, httpFetch, inputs, isTally, lastResult, log, nowMs, randomBytes, setResultText, tallyInputs, toHex
} from "../sdk/index"

if (isTally()) {
  log("tally of " + String.UTF8.decode(tallyInputs().buffer))
  setResultText("counted")
} else {
  const before = lastResult()
  const last = before === null ? "none" : toHex(before.bytes) + "/" + before.exitCode.toString()
  const asked = inputs()
  const answer = asked.length == 0 ? "" : httpFetch(String.UTF8.decode(asked.buffer)).text()
  setResultText(last + " " + nowMs().toString() + " " + toHex(randomBytes(2)) + " " + answer)
  log("done")
  if (answer == "exit 7") exit(7)
}
`

let cryptoPrice: Uint8Array
let echoing: Uint8Array
let bench: ProgramBench
beforeAll(async () => {
  cryptoPrice = await builtProgram("crypto-price")
  echoing = await compileProgram(echo)
  bench = await openProgramBench()
}, buildTimeoutMs)
afterAll(() => bench.close())

describe("testOracleProgram", () => {
  const golden = goldenCases.find(({ program, result }) => program === "crypto-price" && !result.startsWith("0x"))
  if (golden === undefined) throw new Error("there is no golden case")

  test("answers both phases, the result, gas, price and the requests that were made", async () => {
    const outcome = await testOracleProgram({
      program: cryptoPrice,
      execInputs: golden.inputs,
      clockMs: Date.parse(golden.time),
      http: () => ({ body: golden.answer })
    })
    expect(outcome).toMatchObject({ exitCode: 0, text: golden.result, tally: { exitCode: 0, stderr: "" } })
    expect(outcome.exec).toMatchObject({ exitCode: 0, stdout: "", stderr: "", result: fromUtf8(golden.result) })
    expect(outcome.gasUsed).toBe(outcome.exec.gasUsed + (outcome.tally?.gasUsed ?? 0n))
    expect(outcome.price.total).toBe(1n + (outcome.gasUsed + 999_999_999_999n) / 1_000_000_000_000n)
    expect(outcome.calls).toMatchObject([
      {
        method: "GET",
        url: expect.stringMatching(/^https:\/\/hermes\.pyth\.network\//),
        status: 200,
        failure: null,
        response: fromUtf8(golden.answer)
      }
    ])
  })

  test("gives the failed execution of a program that nobody answers", async () => {
    const outcome = await testOracleProgram({ program: cryptoPrice, execInputs: golden.inputs })
    expect(outcome).toMatchObject({ exitCode: 1, tally: null, exec: { exitCode: 1, result: new Uint8Array() } })
    expect(outcome.exec.stderr).toMatch(/^the price service did not answer: outbound requests are switched off\n$/)
  })
})

test("refuses names that it does not know, which would be ignored", async () => {
  const program = Uint8Array.of(0)
  const refused = testOracleProgram({ program, execInput: "{}" } as Parameters<typeof testOracleProgram>[0])
  await expect(refused).rejects.toMatchObject({ _tag: "ProgramRunRefused", message: "execInput is no option; did you mean execInputs?" })
  const misspelled = testOracleProgram({ program, tarif: {} } as Parameters<typeof testOracleProgram>[0])
  await expect(misspelled).rejects.toThrow("tarif is no option; did you mean tariff?")
  const run = bench.run({ program, clock: 5 } as Parameters<ProgramBench["run"]>[0])
  await expect(run).rejects.toMatchObject({ _tag: "ProgramRunRefused", status: 400, message: expect.stringMatching(/^clock is no option/) })
  const opened = openProgramBench({ worker: 2 } as Parameters<typeof openProgramBench>[0])
  await expect(opened).rejects.toMatchObject({ _tag: "InvalidOption", option: "worker" })
})

test("a bench knows the data proxies that it is given, and charges their fee", async () => {
  const signer = toHex(secp256k1.getPublicKey(new Uint8Array(32).fill(1), true))
  const proxy = await openDataProxy({
    publicOrigin: "https://proxy.test",
    chainId: "sibyl-1-local",
    allowedKeys: [signer],
    source: (path) => ({ status: 200, body: `answer to ${path}` })
  })
  const { origin, publicKey } = proxy
  const proxied = await openProgramBench({
    http: layerHttpFetch({ hostOverrides: { "proxy.test": origin } }),
    proxies: [{ publicKey, name: "Prices", feeCredits: 3n, active: true }]
  })
  try {
    // One request, through this proxy.
    const execInputs = `1${JSON.stringify({ url: "https://proxy.test/prices", public_key: publicKey, options: {} })}`
    const outcome = await proxied.run({ program: proxyProgram, execInputs })
    expect(outcome).toMatchObject({ exitCode: 0, price: { dataProxies: 3n } })
    expect(outcome.calls.map(({ method, status }) => [method, status])).toEqual([
      ["OPTIONS", 200],
      ["GET", 200]
    ])
    const unknown = await bench.run({ program: proxyProgram, execInputs })
    expect(unknown).toMatchObject({ price: { dataProxies: 0n }, calls: [] })
  } finally {
    await proxied.close()
    await proxy.close()
  }
})

describe("a run on the bench", () => {
  const clockMs = 1_763_640_000_500

  test("sees the clock, last result and tally inputs that it is given, and the same chance every time", async () => {
    const lastResult = { result: Uint8Array.of(1, 255), exitCode: 3 }
    const run = { program: echoing, tallyInputs: "0x6869", clockMs, lastResult }
    const [first, second] = await Promise.all([bench.run(run), bench.run(run)])
    expect(first.exec.result).toEqual(second.exec.result)
    expect(new TextDecoder().decode(first.exec.result)).toMatch(/^01ff\/3 1763640000500 [0-9a-f]{4} $/)
    expect(first).toMatchObject({ text: "counted", exec: { stdout: "done" }, tally: { stdout: "tally of hi" } })
  })

  test("keeps the worlds of runs that overlap apart", async () => {
    const runs = Array.from({ length: 5 }, (_, at) =>
      bench.run({
        program: echoing,
        execInputs: `https://upstream.test/${at}`,
        clockMs: at,
        http: ({ url }) => Promise.resolve({ body: url })
      })
    )
    for (const [at, { calls, exec }] of (await Promise.all(runs)).entries()) {
      expect(new TextDecoder().decode(exec.result)).toMatch(new RegExp(`^none ${at} .* https://upstream.test/${at}$`))
      expect(calls.map(({ url }) => url)).toEqual([`https://upstream.test/${at}`])
    }
  })

  test("reports the program's own exit code, and no tally then", async () => {
    const outcome = await bench.run({
      program: echoing,
      execInputs: "https://upstream.test",
      http: () => ({ status: 500, body: "exit 7" })
    })
    expect(outcome).toMatchObject({ exitCode: 7, tally: null, calls: [{ status: 500 }] })
    expect(toHex(outcome.result)).toBe(toHex(outcome.exec.result))
  })

  test("fails a request that has no answer, one that fails, and one whose answer is too large", async () => {
    const ask = async (http: Parameters<ProgramBench["run"]>[0]["http"]) => {
      const { calls } = await bench.run({ program: echoing, execInputs: "https://upstream.test/x", http })
      return calls.map(({ failure, status }) => [status, failure])
    }
    expect(await ask(() => undefined)).toEqual([[0, "no answer is recorded for GET https://upstream.test/x"]])
    expect(await ask(() => ({ failure: "gone" }))).toEqual([[0, "gone"]])
    expect(await ask(() => ({ body: "x".repeat(1_048_577) }))).toEqual([
      [0, "outbound request failed: the answer is larger than 1048576 bytes"]
    ])
  })

  test("rejects with what the test's own code threw, and with a refusal of the service", async () => {
    const broken = () => {
      throw new Error("a mistake in the test")
    }
    const run = { program: echoing, execInputs: "https://upstream.test" }
    await expect(bench.run({ ...run, http: broken })).rejects.toThrow("a mistake in the test")
    const refused = bench.run({ ...run, execInputs: "0xabc" })
    await expect(refused).rejects.toBeInstanceOf(ProgramRunRefused)
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining("execInputs") })
  })

  test("refuses what is not of its kind, by its name", async () => {
    const unfit: ReadonlyArray<readonly [member: string, run: object]> = [
      ["program", { program: "echo.wasm" }],
      ["tallyProgram", { tallyProgram: [0, 97, 115, 109] }],
      ["symbols", { symbols: "echo.wasm" }],
      ["clockMs", { clockMs: 0.5 }],
      ["clockMs", { clockMs: new Date() }],
      ["http", { http: { body: "hello" } }],
      ["lastResult.result", { lastResult: { result: "1.5" } }],
      ["lastResult.exitCode", { lastResult: { result: Uint8Array.of(1), exitCode: 256 } }],
      ["lastResult.timestampMs", { lastResult: { result: Uint8Array.of(1), timestampMs: "now" } }]
    ]
    for (const [member, run] of unfit) {
      const refused = bench.run({ program: echoing, ...run })
      await expect(refused, member).rejects.toMatchObject({
        _tag: "ProgramRunRefused",
        status: 400,
        message: expect.stringMatching(`^${member} must`)
      })
    }
  })

  test("rejects where the test's own answer is none", async () => {
    const run = { program: echoing, execInputs: "https://upstream.test" }
    const answers: ReadonlyArray<readonly [answer: unknown, rule: RegExp]> = [
      ["hello", /http must answer with an object or undefined, not "hello"$/],
      [null, /http must answer with an object or undefined, not null$/],
      [{ failure: 404 }, /failure must be a text$/],
      [{ status: "200" }, /status must be a whole number/],
      [{ headers: { a: 1 } }, /headers must be texts by name$/],
      [{ body: 5 }, /body must be a text/]
    ]
    for (const [answer, rule] of answers) {
      await expect(bench.run({ ...run, http: () => answer as never })).rejects.toThrow(rule)
      await expect(bench.run({ ...run, http: () => answer as never })).rejects.toThrow("the answer to GET https://upstream.test")
    }
  })

  test("takes the gas limits that it is given", async () => {
    const outcome = await bench.run({ program: echoing, gasLimits: { exec: 8_000_000_000_000n } })
    expect(outcome).toMatchObject({ exitCode: 1, tally: null })
    expect(outcome.gasUsed).toBeLessThanOrEqual(8_000_000_000_000n)
    expect(outcome.exec.stderr).toContain("Ran out of gas")
  })
})
