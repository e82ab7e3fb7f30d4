/** One pass over a tape: what stops it, what it answers, and which differences a replay detects. */
import { call, drop, encodeModule, hostImport, i32, i32Const, i64Const, localGet, localSet } from "@sibyl/testing/wasm"
import { describe, expect, it } from "vitest"
import { endingOf, inputOf, passOf } from "../testdata/runProgram.ts"
import { runToEnd } from "../testdata/runToEnd.ts"
import { emptyTape, vectorTimeMs } from "../testdata/vectors.ts"
import { pass } from "./pass.ts"
import { prepareProgram } from "./prepare.ts"
import type { FetchAnswer, HostCall, TapeEntry } from "../tape/tape.ts"

const encoder = new TextEncoder()
const bytesOf = (text: string): ReadonlyArray<number> => [...encoder.encode(text)]

const action = (path: string): string => JSON.stringify({ url: `https://a.example/${path}`, options: {} })
const first = action("one")
const second = action("other")

/** Writes the time to 256, requests both addresses, each followed by the time, and returns 24 bytes of times. */
const twoFetches = encodeModule({
  imports: [hostImport.executionResult, hostImport.httpFetch, hostImport.clockTimeGet],
  memory: 1,
  data: [
    { offset: 0, bytes: bytesOf(first) },
    { offset: 128, bytes: bytesOf(second) }
  ],
  functions: [
    {
      code: [
        ...i32Const(0),
        ...i64Const(0n),
        ...i32Const(256),
        ...call(2),
        drop,
        ...i32Const(0),
        ...i32Const(first.length),
        ...call(1),
        drop,
        ...i32Const(1),
        ...i64Const(0n),
        ...i32Const(264),
        ...call(2),
        drop,
        ...i32Const(128),
        ...i32Const(second.length),
        ...call(1),
        drop,
        ...i32Const(0),
        ...i64Const(0n),
        ...i32Const(272),
        ...call(2),
        drop,
        ...i32Const(256),
        ...i32Const(24),
        ...call(0)
      ]
    }
  ]
})

const ok: FetchAnswer = {
  fulfilled: true,
  status: 200,
  headers: [],
  bytes: Uint8Array.of(1),
  url: "https://a.example/",
  contentLength: 1
}

const answering =
  (atMs: number) =>
  (request: HostCall): TapeEntry => ({ kind: "fetch", action: request.action, atMs, answer: ok })

const prepared = prepareProgram(twoFetches, "exec", 160)

describe("a pass", () => {
  it("returns the first call that the tape does not answer, with the gas so far", () => {
    const result = pass(prepared, inputOf("exec"))
    expect(result).toMatchObject({
      kind: "needs",
      call: { kind: "fetch", request: { url: "https://a.example/one", method: "GET" } }
    })
    expect(result.kind === "needs" && new TextDecoder().decode(result.call.action)).toBe(first)
    expect(result.kind === "needs" && result.gasUsed > 11_000_000_000_000n).toBe(true)
  })

  it("shows the time of the tape: its start, then that of the last answer", () => {
    let atMs = vectorTimeMs
    const { calls, ending, gasOfPasses } = runToEnd(prepared, inputOf("exec"), (request) => answering((atMs += 40))(request))
    expect(calls).toHaveLength(2)
    const times = new BigUint64Array((ending.result ?? new Uint8Array()).slice().buffer)
    expect([...times]).toEqual([0, 40, 80].map((later) => BigInt(vectorTimeMs + later) * 1_000_000n))
    expect(gasOfPasses.toSorted((left, right) => (left < right ? -1 : 1))).toEqual([...gasOfPasses])
  })

  it("does not accept a tape whose call differs in one byte", () => {
    const { tape } = runToEnd(prepared, inputOf("exec"), answering(vectorTimeMs))
    const [one, two] = tape.entries
    if (one === undefined || two === undefined) throw new Error("two entries expected")
    const changed = { ...tape, entries: [one, { ...two, action: encoder.encode(action("othes")) } as TapeEntry] }
    expect(() => pass(prepared, inputOf("exec", { tape: changed }))).toThrow(/entry 1 of the tape/)
    const otherKind = { ...tape, entries: [{ ...one, kind: "proxyFetch" } as TapeEntry, two] }
    expect(() => pass(prepared, inputOf("exec", { tape: otherKind }))).toThrow(/entry 0 of the tape is proxyFetch/)
  })

  it("does not accept a tape with unused answers", () => {
    const { tape } = runToEnd(prepared, inputOf("exec"), answering(vectorTimeMs))
    const longer = { ...tape, entries: [...tape.entries, ...tape.entries.slice(1)] }
    expect(() => pass(prepared, inputOf("exec", { tape: longer }))).toThrow(/1 entries left/)
  })

  it("ends as a terminal entry says, without the output, which was lost with the run", () => {
    const { tape } = runToEnd(prepared, inputOf("exec"), answering(vectorTimeMs))
    const late = {
      ...tape,
      entries: [...tape.entries.slice(0, 1), { kind: "deadline", limitMs: 250, gasCharged: 7n, workerMs: 260 } as const]
    }
    const result = pass(prepared, inputOf("exec", { tape: late }))
    expect(result).toMatchObject({
      kind: "done",
      ending: {
        exitCode: 1,
        gasUsed: 300_000_000_000_000n,
        gasCharged: 7n,
        workerMs: 260,
        stderr: ["Execution time limit exceeded (250ms)"]
      }
    })
    const tally = pass(prepared, inputOf("tally", { gasLimit: 9n, tape: { ...emptyTape, entries: [{ kind: "stackOverflow" }] } }))
    expect(tally).toMatchObject({ kind: "done", ending: { exitCode: 252, gasUsed: 9n, gasCharged: 9n } })
  })
})

describe("random bytes", () => {
  /** Two calls of 8 bytes; the result is all 16. */
  const program = encodeModule({
    imports: [hostImport.executionResult, hostImport.randomGet],
    memory: 1,
    functions: [
      {
        code: [0, 8]
          .flatMap((at) => [...i32Const(at), ...i32Const(8), ...call(1), drop])
          .concat([...i32Const(0), ...i32Const(16), ...call(0)])
      }
    ]
  })
  const drawn = (seed: Uint8Array): string =>
    Buffer.from(endingOf(program, "exec", { tape: { ...emptyTape, seed } }).result ?? []).toString("hex")

  it("follow from the seed, and do not repeat", () => {
    const one = drawn(Uint8Array.of(1))
    expect(drawn(Uint8Array.of(1))).toBe(one)
    expect(drawn(Uint8Array.of(2))).not.toBe(one)
    expect(one.slice(0, 16)).not.toBe(one.slice(16))
  })
})

describe("storage calls", () => {
  const request = '{"keys":["00ff"]}'
  /** The result is the promise's JSON. */
  const program = encodeModule({
    imports: [hostImport.executionResult, hostImport.storageRead, hostImport.callResultWrite],
    memory: 1,
    data: [{ offset: 0, bytes: bytesOf(request) }],
    functions: [
      {
        locals: [i32],
        code: [
          ...i32Const(0),
          ...i32Const(request.length),
          ...call(1),
          ...localSet(0),
          ...i32Const(512),
          ...localGet(0),
          ...call(2),
          ...i32Const(512),
          ...localGet(0),
          ...call(0)
        ]
      }
    ]
  })

  it("are recorded with their operation, and are answered with a promise", () => {
    const { calls, ending } = runToEnd(prepareProgram(program, "exec", 160), inputOf("exec"), (asked) => ({
      kind: "storage",
      operation: "read",
      action: asked.action,
      atMs: vectorTimeMs,
      answer: { fulfilled: false, bytes: encoder.encode("no") }
    }))
    expect(calls).toMatchObject([{ kind: "storage", request: { operation: "read", keys: ["00ff"] } }])
    expect(new TextDecoder().decode(ending.result)).toBe('{"Rejected":[110,111]}')
  })

  it("replay only as the same operation", () => {
    const write: TapeEntry = {
      kind: "storage",
      operation: "delete",
      action: encoder.encode(request),
      atMs: vectorTimeMs,
      answer: { fulfilled: true, bytes: new Uint8Array() }
    }
    expect(() => passOf(program, "exec", { tape: { ...emptyTape, entries: [write] } })).toThrow(/another storage/)
  })
})
