/** Lines of runs: their content, that any value fits its column, and when they are coloured. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readServiceMessage } from "./feedMessages.ts"
import { dollars, feedView, latenessMsOf, type ReceivedRun, resultText } from "./feedView.ts"
import { wantsColours } from "../output/paint.ts"

const id = "ab".repeat(32)
const uuid = "01960000-0000-7000-8000-000000000000"

const received = (fields: Partial<ReceivedRun["run"]>, mode: ReceivedRun["mode"] = "FIXED"): ReceivedRun => {
  const run = { feedId: "f", seq: 0, scheduledAt: 0, startedAt: 0, ...fields }
  return { mode, receivedAtMs: 0, run, raw: run }
}
const dataRequest = {
  version: "0.0.1",
  execProgramId: id,
  execInputs: "",
  execGasLimit: "1",
  tallyProgramId: id,
  tallyInputs: "",
  tallyGasLimit: "1",
  replicationFactor: 1,
  consensusFilter: "00",
  gasPrice: "1",
  memo: ""
}
const dataResult = {
  version: "0.0.1",
  drId: id,
  consensus: true,
  exitCode: 0,
  result: "",
  blockHeight: "0",
  blockTimestamp: "0",
  gasUsed: "2",
  paybackAddress: "",
  servicePayload: ""
}
const resultOf = (result: unknown): Pick<ReceivedRun["run"], "result"> => ({
  result: {
    _tag: "ExecuteResponse",
    data: { id: uuid, requestId: uuid, dataRequest, dataResult, signature: "00".repeat(65), result }
  }
})
const error = { code: 36001, error: "no", message: "no" }

describe("a result", () => {
  it("is shown as its price in dollars if it has one, else unchanged", () => {
    expect(resultText({ price: 96_243.1249 })).toBe("$96,243.12")
    expect(resultText({ price: 0.000_012_34 })).toBe("$0.00001234")
    expect(resultText({ price: 1 })).toBe("$1.00")
    expect(resultText({ index: 4.5 })).toBe('{"index":4.5}')
    expect(resultText("0x00")).toBe("0x00")
    expect(resultText(null)).toBe("null")
    expect(resultText({ price: "12" })).toBe('{"price":"12"}')
  })

  it("differs little from the price that is shown", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-4, max: 1e9, noNaN: true }), (price) => {
        const shown = Number(dollars(price).replace(/[$,]/g, ""))
        expect(Math.abs(shown - price)).toBeLessThanOrEqual(price >= 1 ? 0.005_001 : 5.1e-9)
      })
    )
  })
})

describe("columns", () => {
  const modes = ["FIXED", "SEQUENTIAL", "PARALLEL"] as const

  it("keep every run in its column, whatever the service sends", () => {
    const view = feedView(modes, { coloured: false, json: false })
    const [head = ""] = view.head
    const starts = modes.map((mode) => head.indexOf(mode))
    const run = fc.record({
      seq: fc.nat(99_999),
      scheduledAt: fc.nat(10_000),
      startedAt: fc.nat(10_000),
      text: fc.string({ maxLength: 80 })
    })
    fc.assert(
      fc.property(run, fc.constantFrom(...modes), ({ text, ...times }, mode) => {
        const line = view.line(received({ ...times, ...resultOf(text) }, mode))
        const start = starts[modes.indexOf(mode)] ?? 0
        expect(line.slice(12, start).trim()).toBe("")
        expect(line.length).toBeLessThanOrEqual(start + 36)
      })
    )
  })

  it("are one line for one mode, with the full text", () => {
    const { head, line } = feedView(["PARALLEL"], { coloured: false, json: false })
    expect(head[0]).toMatch(/^time +mode +run +late +result$/)
    expect(line(received({ seq: 12, scheduledAt: 1_000, startedAt: 1_003, ...resultOf("x".repeat(200)) }, "PARALLEL"))).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} {2}PARALLEL {4}#12 {3}\+3 ms {3}x{200}$/
    )
    expect(line(received({ error }, "PARALLEL"))).toMatch(/ 36001: no$/)
    expect(line(received({}, "PARALLEL"))).toMatch(/ neither result nor error$/)
  })
})

describe("colours", () => {
  it("are used for terminals unless the user has refused them", () => {
    expect(wantsColours(true, undefined)).toBe(true)
    expect(wantsColours(true, "")).toBe(true)
    expect(wantsColours(true, "1")).toBe(false)
    expect(wantsColours(false, undefined)).toBe(false)
  })

  it("leave the text unchanged", () => {
    const plain = feedView(["FIXED"], { coloured: false, json: false })
    const coloured = feedView(["FIXED"], { coloured: true, json: false })
    const run = received({ seq: 1, scheduledAt: 5, startedAt: 5, ...resultOf({ price: 2 }) })
    expect(coloured.line(run)).toContain("\u001b[1m$2.00\u001b[0m")
    expect(coloured.line(run).replace(/\u001b\[\d+m/g, "")).toBe(plain.line(run))
    expect(coloured.line(received({ error }))).toContain("\u001b[31m")
  })
})

describe("JSON lines", () => {
  it("contain everything that the service sent, and lateness", () => {
    const text = JSON.stringify({
      jsonrpc: "2.0",
      method: "feed.result",
      params: {
        feedId: "f",
        seq: 3,
        scheduledAt: 10,
        startedAt: 14,
        result: { ...resultOf(1).result, more: [2] },
        extra: true
      }
    })
    const message = readServiceMessage(text)
    if (message._tag !== "run") throw new Error(message._tag)
    const line = feedView(["FIXED"], { coloured: true, json: true }).line({
      mode: "FIXED",
      receivedAtMs: 20,
      run: message.run,
      raw: message.raw
    })
    expect(JSON.parse(line)).toEqual({ mode: "FIXED", receivedAt: 20, latenessMs: 4, ...JSON.parse(text).params })
    expect(latenessMsOf(message.run)).toBe(4)
  })
})

describe("messages from a service", () => {
  it("are read without throwing, whatever they contain", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(["authorized", "run", "reply", "unknown"]).toContain(readServiceMessage(text)._tag)
      })
    )
    expect(readServiceMessage(JSON.stringify({ jsonrpc: "2.0", id: "1", error }))).toEqual({
      _tag: "reply",
      id: "1",
      feedId: undefined,
      error
    })
  })
})
