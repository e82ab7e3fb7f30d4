/** Replies and notifications as text: the members and their order, without absent ones. */
import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import * as errors from "../../contract/errors.ts"
import { failedExecutionCode, RpcReply } from "../../contract/rpc.ts"
import { RawJson } from "../../domain/encoding/responseJson.ts"
import { executionOutcome, failureOutcome, notificationText, replyText } from "./rpcView.ts"

/** Every error of the contract. */
const failures = Object.entries(errors).map(([name, Failure]) => ({ name, Failure }))

describe("an error", () => {
  test.each(failures)("$name carries its tag, its code and its text twice, in this order", ({ Failure, name }) => {
    const outcome = failureOutcome(new Failure({ message: "why" }))
    expect(JSON.stringify(outcome)).toBe(`{"error":{"_tag":"${name}","code":${Failure.rpcCode},"error":"why","message":"why"}}`)
  })

  test("has positive codes only, as in the interface", () => {
    expect(failures.length).toBeGreaterThan(15)
    expect(failures.filter(({ Failure }) => !(Failure.rpcCode > 0))).toEqual([])
  })

  test("shows its details if it has some, else no member for them", () => {
    const wrong = errors.InvalidParameter.because("mode", "must be good")
    expect(failureOutcome(wrong)).toEqual({
      error: {
        _tag: "InvalidParameter",
        code: 32_602,
        error: "mode: must be good",
        message: "mode: must be good",
        details: { parameter: "mode", rule: "must be good" }
      }
    })
    expect(failureOutcome(new errors.Overloaded({ message: "later", retryAfterSeconds: 1 }))).toEqual({
      error: { _tag: "Overloaded", code: 36_053, error: "later", message: "later" }
    })
  })

  test("of a text that is not JSON is one too", () => {
    expect(failureOutcome({ _tag: "ParseError", rpcCode: 32_700, message: "no" })).toEqual({
      error: { _tag: "ParseError", code: 32_700, error: "no", message: "no" }
    })
  })
})

describe("an execution", () => {
  test("that succeeded is an unchanged result", () => {
    const view = { _tag: "ExecuteResponse", data: { id: "a" } }
    expect(executionOutcome(view)).toEqual({ result: view })
  })

  test("that failed is an error with its data and nothing beside it", () => {
    const data = { id: "a" }
    const view = { _tag: "FailedExecutionResponse", data, error: "no", message: "no", execute: { stdout: "" } }
    expect(JSON.stringify(executionOutcome(view))).toBe(
      `{"error":{"_tag":"FailedExecutionResponse","code":${failedExecutionCode},"error":"no","message":"no","data":{"id":"a"}}}`
    )
  })
})

describe("a text", () => {
  const id = fc.option(fc.fullUnicodeString())

  test("of a reply is JSON-RPC 2.0 with its exact id, and either a result or an error", () => {
    const failure = fc.constantFrom(...failures)
    fc.assert(
      fc.property(id, fc.fullUnicodeString(), failure, (id, message, { Failure, name }) => {
        const text = replyText(id, failureOutcome(new Failure({ message, details: { message } })))
        expect(text.startsWith('{"jsonrpc":"2.0","id":')).toBe(true)
        const { rpcCode: code } = Failure
        expect(JSON.parse(text)).toEqual({
          jsonrpc: "2.0",
          id,
          error: { _tag: name, code, error: message, message, details: { message } }
        })
        expect(Schema.is(RpcReply)(JSON.parse(text))).toBe(true)
      })
    )
  })

  test("of a result holds what is JSON already untouched", () => {
    expect(replyText("7", { result: { data: { result: new RawJson('{"price":1.50}') }, gone: undefined } })).toBe(
      '{"jsonrpc":"2.0","id":"7","result":{"data":{"result":{"price":1.50}}}}'
    )
  })

  test("of a notification has a method, params and no id", () => {
    expect(notificationText("feed.result", { feedId: "a", seq: 0, result: { price: 1 } })).toBe(
      `{"jsonrpc":"2.0","method":"feed.result","params":{"feedId":"a","seq":0,"result":{"price":1}}}`
    )
  })
})
