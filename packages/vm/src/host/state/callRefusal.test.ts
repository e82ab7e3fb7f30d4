/** The limits of calls to the outside world, in bytes and number: beyond them every call is a rejected promise. */
import { defaultLimits } from "@sibyl/core"
import { call, encodeModule, hostImport, i32, i32Const, localGet, localSet } from "@sibyl/testing/wasm"
import { describe, expect, it } from "vitest"
import type { Ending } from "../../pass/ending.ts"
import { prepareProgram } from "../../pass/prepare.ts"
import type { HostCall, TapeEntry } from "../../tape/tape.ts"
import type { PassLimits } from "../../pass/passLimits.ts"
import { inputOf } from "../../testdata/runProgram.ts"
import { runToEnd } from "../../testdata/runToEnd.ts"
import { failedFetch } from "../../tape/promiseJson.ts"

const address = 4_096

/** Makes the calls one after the other, each with these bytes and this length; the last one's promise is the result. */
const asking = (host: "httpFetch" | "proxyHttpFetch" | "storageRead" | "storageWrite", text: string, ...lengths: ReadonlyArray<number>) =>
  encodeModule({
    imports: [hostImport.executionResult, hostImport[host], hostImport.callResultWrite],
    memory: 160,
    data: [{ offset: address, bytes: [...new TextEncoder().encode(text)] }],
    functions: [
      {
        locals: [i32],
        code: [
          ...lengths.flatMap((length) => [...i32Const(address), ...i32Const(length), ...call(1), ...localSet(0)]),
          ...i32Const(0),
          ...localGet(0),
          ...call(2),
          ...i32Const(0),
          ...localGet(0),
          ...call(0)
        ]
      }
    ]
  })

const answered = (call: HostCall): TapeEntry => {
  const { action, kind } = call
  if (kind === "storage") {
    return { kind, action, operation: call.request.operation, atMs: 1, answer: { fulfilled: true, bytes: new Uint8Array(10) } }
  }
  return kind === "proxyPrice"
    ? { kind, action, atMs: 1, answer: { known: true, gas: 0n, publicKey: "02", feeCredits: 1n } }
    : { kind, action, atMs: 1, answer: { ...failedFetch("0123456789"), fulfilled: true, status: 200 } }
}

const run = (program: Uint8Array, limits: Partial<PassLimits> = {}) => {
  const input = inputOf("exec", { limits: { ...defaultLimits, ...limits } })
  return runToEnd(prepareProgram(program, "exec", defaultLimits.memoryPages), input, answered)
}

const text = (bytes: Uint8Array | ReadonlyArray<number>): string => new TextDecoder().decode(Uint8Array.from(bytes))

/** The text of a rejected promise of storage; for a fetch it is in the answer's body. */
const rejectionOf = ({ exitCode, result = new Uint8Array(), stderr }: Ending): string => {
  expect([exitCode, stderr]).toEqual([0, []])
  const promise = JSON.parse(text(result)) as { readonly Rejected?: ReadonlyArray<number> }
  const rejected = text(promise.Rejected ?? [])
  return rejected.startsWith("{") ? text((JSON.parse(rejected) as { readonly bytes: ReadonlyArray<number> }).bytes) : rejected
}

const fetchAction = '{"url":"https://a.example/"}'
const readAction = '{"keys":["ab"]}'

describe("an action", () => {
  it.each([
    ["httpFetch", 1_048_576],
    ["proxyHttpFetch", 1_048_576],
    ["storageRead", 3_145_728],
    ["storageWrite", 3_145_728]
  ] as const)("of %s has at most %i bytes", (host, most) => {
    const refused = run(asking(host, fetchAction, most + 1))
    expect(rejectionOf(refused.ending)).toBe(`the action is larger than ${most} bytes`)
    expect(refused.calls).toEqual([])
  })

  it("that is refused is charged for its bytes and the answer's", () => {
    const gasOf = (length: number): bigint => run(asking("httpFetch", fetchAction, length)).ending.gasUsed
    expect(gasOf(5_000_000) - gasOf(4_000_000)).toBe(10_000n * 1_000_000n)
  })

  it("of maximum size is read, even if it is white space", () => {
    const padded = `{"keys":["ab"]${" ".repeat(100)}}`
    const { calls } = run(asking("storageRead", padded, padded.length), { storageActionBytes: padded.length })
    expect(calls.map(({ kind }) => kind)).toEqual(["storage"])
  })

  it("that asks for too much is refused without a request", () => {
    const longKey = JSON.stringify({ keys: ["ab".repeat(257)] })
    const { calls, ending } = run(asking("storageRead", longKey, longKey.length))
    expect([calls, rejectionOf(ending)]).toEqual([[], "a storage key has at most 256 bytes"])
    const deep = `{"url":${"[".repeat(33)}`
    expect(rejectionOf(run(asking("httpFetch", deep, deep.length)).ending)).toBe("the action nests deeper than 32")
  })
})

describe("the calls of one phase", () => {
  const length = readAction.length
  const three = asking("storageRead", readAction, length, length, length)

  it("are limited in number, counting price and request of a data proxy separately", () => {
    expect(run(three, { hostCalls: 3 }).calls).toHaveLength(3)
    const refused = run(three, { hostCalls: 2 })
    expect([refused.calls.length, rejectionOf(refused.ending)]).toEqual([2, "one phase asks for at most 2 answers"])
    const proxied = run(asking("proxyHttpFetch", fetchAction, fetchAction.length), { hostCalls: 1 })
    expect(proxied.calls.map(({ kind }) => kind)).toEqual(["proxyPrice"])
    expect(rejectionOf(proxied.ending)).toBe("one phase asks for at most 1 answers")
  })

  it("and their answers are limited in bytes", () => {
    const hostCallBytes = 2 * (length + 10) + length
    expect(run(three, { hostCallBytes }).calls).toHaveLength(3)
    const refused = run(three, { hostCallBytes: hostCallBytes - 1 })
    expect(refused.calls).toHaveLength(2)
    expect(rejectionOf(refused.ending)).toBe(`the actions of one phase and their answers have at most ${hostCallBytes - 1} bytes`)
  })

  it("are refused in the same way on a replay", () => {
    const limits = { hostCalls: 2 }
    const { ending, tape } = run(three, limits)
    const again = runToEnd(
      prepareProgram(three, "exec", defaultLimits.memoryPages),
      inputOf("exec", { limits: { ...defaultLimits, ...limits }, tape }),
      () => {
        throw new Error("a replay asked")
      }
    )
    expect(again.ending).toEqual(ending)
  })
})
