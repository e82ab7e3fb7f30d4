/** Every message is read as it was written, in whatever parts it travels; anything else is garbage, and nothing throws. */
import { defaultLimits } from "@sibyl/core"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aliveCodec, beatCodec, type Codec, orderCodec, probeCodec, replyCodec } from "./codec.ts"
import { fitsWhole, framesOf, readFrame, refusalFrame } from "./frame.ts"
import type { Order } from "./orders.ts"
import { emptyReassembly, reassemblyBounds, withPart } from "./reassembly.ts"
import type { Reply } from "./replies.ts"
import { contractVersion, isNetName } from "./subjects.ts"

const text = fc.string({ unit: "grapheme", maxLength: 20 })
const bytes = fc.uint8Array({ maxLength: 60 })
const whole = fc.integer({ min: 0, max: 2 ** 53 - 1 })
const big = fc.bigInt({ min: 0n, max: 2n ** 128n })
const token = fc.stringMatching(/^[\w-]{1,12}$/)
const attempt = fc.tuple(token, fc.stringMatching(/^[0-9a-z]{1,6}$/)).map(([edge, n]) => `${edge}.${n}`)
const hexId = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((id) => Buffer.from(id).toString("hex"))
const textMap = fc.array(fc.tuple(text, text), { maxLength: 3 }).map((pairs) => new Map(pairs))

const fetchAnswer = fc.record({
  fulfilled: fc.boolean(),
  status: whole,
  headers: fc.array(fc.tuple(text, text), { maxLength: 3 }),
  bytes,
  url: text,
  contentLength: whole
})
const called = { action: bytes, atMs: whole }
const entry = fc.oneof(
  fc.record({ ...called, kind: fc.constantFrom("fetch" as const, "proxyFetch" as const), answer: fetchAnswer }),
  fc.record({
    ...called,
    kind: fc.constant("proxyPrice" as const),
    answer: fc.oneof(
      fc.record({ known: fc.constant(true as const), gas: big, publicKey: text, feeCredits: big }),
      fc.record({ known: fc.constant(false as const), message: text })
    )
  }),
  fc.record({
    ...called,
    kind: fc.constant("storage" as const),
    operation: fc.constantFrom("read" as const, "write" as const, "delete" as const),
    answer: fc.record({ fulfilled: fc.boolean(), bytes })
  }),
  fc.record({ kind: fc.constant("deadline" as const), limitMs: whole, gasCharged: big, workerMs: whole }),
  fc.record({ kind: fc.constant("stackOverflow" as const) })
)
const spent = fc.record({
  wallClockLeftMs: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  httpLeftMs: whole,
  workerMs: whole,
  gasUsed: big,
  storedBefore: textMap
})
const limits = fc.record({ execWallClockMs: whole, proxyBudgetCredits: big }).map((changed) => ({ ...defaultLimits, ...changed }))

const order: fc.Arbitrary<Order> = fc.oneof(
  fc.record(
    {
      kind: fc.constant("task" as const),
      attempt,
      request: fc.record({
        phase: fc.constantFrom("exec" as const, "tally" as const),
        projectId: text,
        programId: hexId,
        args: fc.array(text, { maxLength: 3 }),
        envs: fc.array(fc.tuple(text, text), { maxLength: 3 }),
        gasLimit: big,
        limits,
        hasStorage: fc.boolean(),
        hasProxies: fc.boolean()
      }),
      tape: fc.record({ startTimeMs: whole, seed: bytes, entries: fc.array(entry, { maxLength: 4 }) }),
      spent,
      tally: fc.record({ programId: hexId, base: text, blockHeight: big, gasLimit: big })
    },
    { requiredKeys: ["kind", "attempt", "request", "tape"] }
  ),
  fc.record({
    kind: fc.constant("answer" as const),
    attempt,
    n: whole,
    answer: fc.oneof(
      fc.record({ kind: fc.constant("storage" as const), view: fc.record({ values: textMap, keyCount: whole }) }),
      fc.record({
        kind: fc.constant("proxy" as const),
        proxy: fc.option(fc.record({ publicKey: text, name: text, feeCredits: big, active: fc.boolean(), registeredAtMs: whole }))
      }),
      fc.record({ kind: fc.constant("proof" as const), proof: text }),
      fc.record({ kind: fc.constant("program" as const), bytes }),
      fc.record({ kind: fc.constant("failed" as const), message: text })
    )
  }),
  fc.record({ kind: fc.constant("heard" as const), attempts: fc.array(attempt, { maxLength: 3 }) }),
  fc.record({ kind: fc.constantFrom("cancel" as const, "abandoned" as const), attempt })
)

const phase = fc.record(
  {
    exitCode: fc.integer(),
    exitMessage: text,
    gasUsed: big,
    gasCharged: big,
    workerMs: whole,
    result: bytes,
    stdout: text,
    stderr: text,
    proxies: fc.array(fc.record({ publicKey: text, feeCredits: big, calls: whole }), { maxLength: 2 }),
    reason: text,
    storage: fc.array(fc.record({ key: text, value: fc.option(text) }), { maxLength: 2 }),
    prefetch: fc.record({ requested: whole, used: whole })
  },
  { requiredKeys: ["exitCode", "exitMessage", "gasUsed", "gasCharged", "result", "stdout", "stderr", "proxies"] }
)
const tallied = fc.oneof(
  fc.record({ consensus: fc.boolean(), phase }),
  fc.record({ consensus: fc.boolean(), refusal: fc.record({ exitCode: whole, result: bytes }) })
)
const body = fc.oneof(
  fc.record({ kind: fc.constant("accepted" as const), engine: text }),
  fc.record({ kind: fc.constantFrom("full" as const, "overloaded" as const, "left" as const) }),
  fc.record({ kind: fc.constant("tape" as const), from: whole, entries: fc.array(entry, { maxLength: 3 }), spent }),
  fc.record({
    kind: fc.constant("ask" as const),
    ask: fc.oneof(
      fc.record({ kind: fc.constant("storage" as const), keys: fc.array(text, { maxLength: 3 }) }),
      fc.record({ kind: fc.constant("proxy" as const), publicKey: text }),
      fc.record({ kind: fc.constant("proof" as const) }),
      fc.record({ kind: fc.constant("program" as const), programId: hexId })
    )
  }),
  fc.record({ kind: fc.constant("done" as const), outcome: fc.record({ exec: phase, tally: tallied }, { requiredKeys: ["exec"] }) }),
  fc.record({ kind: fc.constant("defect" as const), message: text })
)
const reply: fc.Arbitrary<Reply> = fc.record({ n: whole, executor: token, body })
const probe = fc.record({ edge: token, attempts: fc.array(fc.tuple(attempt, whole), { maxLength: 3 }) })
const alive = fc.record({ unknown: fc.array(attempt, { maxLength: 3 }) })
const beat = fc.record({ id: token, zone: text, free: whole, engine: text, version: text, contracts: fc.array(whole, { maxLength: 2 }) })

/** fast-check's records have no prototype. */
const plain = <A>(value: A): A => structuredClone(value)

const travels = <A>(codec: Codec<A>, arbitrary: fc.Arbitrary<A>): void => {
  fc.assert(
    fc.property(arbitrary, (message) => {
      expect(Either.getOrThrow(codec.decode(codec.encode(message)))).toEqual(plain(message))
    })
  )
}

const codecs: ReadonlyArray<Codec<unknown>> = [orderCodec, replyCodec, probeCodec, aliveCodec, beatCodec] as never

describe("messages", () => {
  it("are read as they were written: orders", () => travels(orderCodec, order))
  it("are read as they were written: replies", () => travels(replyCodec, reply))
  it("are read as they were written: probes, their answers, beats", () => {
    travels(probeCodec, probe)
    travels(aliveCodec, alive)
    travels(beatCodec, beat)
  })

  it("carry bytes as they are, in buffers of their own", () => {
    const answer = new Uint8Array(10_000).fill(7)
    const written = orderCodec.encode({ kind: "answer", attempt: "e.1", n: 1, answer: { kind: "program", bytes: answer } })
    expect(written.length).toBeLessThan(answer.length + 100)
    const read = Either.getOrThrow(orderCodec.decode(Buffer.concat([written]).subarray()))
    const got = read.kind === "answer" && read.answer.kind === "program" ? read.answer.bytes : undefined
    expect([got?.constructor, got?.buffer.byteLength]).toEqual([Uint8Array, 10_000])
  })

  it("are refused when they are anything else, also when one byte is another", () => {
    const changed = fc.tuple(order.map(orderCodec.encode), fc.nat(), fc.nat(255)).map(([data, at, byte]) => {
      const copy = new Uint8Array(data)
      copy[at % copy.length] = byte
      return copy
    })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), changed), (data) => {
        for (const codec of codecs) {
          const read = codec.decode(data)
          if (Either.isLeft(read)) expect(read.left._tag).toBe("Garbage")
        }
        readFrame(data)
      })
    )
    for (const codec of codecs) expect(Either.isLeft(codec.decode(new Uint8Array()))).toBe(true)
  })

  it("leave room for a newer sender, and for an older one", () => {
    const message = { id: "a", zone: "", free: 1, engine: "e", version: "1", contracts: [1] }
    expect(Either.getOrThrow(beatCodec.decode(beatCodec.encode({ ...message, later: 1 } as never)))).toEqual(message)
  })
})

const name = () => new Uint8Array(16).fill(9)

describe("frames", () => {
  it("carry any body, in parts that fit", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.integer({ min: 40, max: 3_000 }), (sent, maxPayloadBytes) => {
        const frames = framesOf(sent, maxPayloadBytes, name)
        expect(frames.every(({ length }) => length <= maxPayloadBytes)).toBe(true)
        expect(frames.length === 1).toBe(fitsWhole(sent, maxPayloadBytes))
        let messages = emptyReassembly
        const read = frames.flatMap((data) => {
          const frame = readFrame(data)
          if (frame.kind === "whole") return [frame.body]
          if (frame.kind !== "part") throw new Error(frame.kind)
          const step = withPart(messages, frame, 0)
          messages = step.messages
          return step.body === undefined ? [] : [step.body]
        })
        expect(read).toEqual([sent])
        expect(messages.size).toBe(0)
      })
    )
  })

  it("tell which versions are understood, to whoever uses another", () => {
    expect(readFrame(refusalFrame())).toEqual({ kind: "refusal", versions: [contractVersion] })
    expect(readFrame(Uint8Array.of(contractVersion + 1, 0, 1))).toEqual({ kind: "otherVersion", version: contractVersion + 1 })
    expect(readFrame(Uint8Array.of(0, 1, 2))).toEqual({ kind: "garbage" })
  })

  it("lose a message of which a part is missing, and nothing else", () => {
    const [one, two] = [new Uint8Array(100).fill(1), new Uint8Array(100).fill(2)]
    const parts = [
      ...framesOf(one, 60, () => new Uint8Array(16).fill(1)).filter((_, at) => at !== 1),
      ...framesOf(two, 60, () => new Uint8Array(16).fill(2))
    ]
    let messages = emptyReassembly
    const whole: Array<Uint8Array> = []
    for (const data of parts) {
      const frame = readFrame(data)
      if (frame.kind !== "part") throw new Error(frame.kind)
      const step = withPart(messages, frame, 0)
      messages = step.messages
      if (step.body !== undefined) whole.push(step.body)
    }
    expect(whole).toEqual([two])
  })

  it("are not kept for ever, nor without bound", () => {
    const part = (at: string, bytes: number) => ({ kind: "part" as const, name: at, index: 0, count: 2, body: new Uint8Array(bytes) })
    let { messages } = withPart(emptyReassembly, part("old", 1), 0)
    messages = withPart(messages, part("new", 1), reassemblyBounds.waitMs + 1).messages
    expect([...messages.keys()]).toEqual(["new"])
    messages = withPart(messages, part("large", reassemblyBounds.bytes), reassemblyBounds.waitMs + 2).messages
    expect([...messages.keys()]).toEqual(["large"])
  })
})

it("nets have names that fit into a subject", () => {
  expect(["default", "eu-1", "a"].every(isNetName)).toBe(true)
  expect(["", "A", "a.b", "a*", "-a", "a-", "a b", "a".repeat(33)].some(isNetName)).toBe(false)
})
