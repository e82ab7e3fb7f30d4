/** Every message is read as it was written, in whatever parts it travels; anything else is garbage, and nothing throws. */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aliveCodec, beatCodec, type Codec, orderCodec, probeCodec, replyCodec } from "./codec.ts"
import { fitsWhole, framesOf, readFrame, refusalFrame } from "./frame.ts"
import { emptyReassembly, reassemblyBounds, withPart } from "./reassembly.ts"
import { contractVersion, isNetName } from "./subjects.ts"
import { alive, beat, order, probe, reply } from "../testdata/anyMessage.ts"

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
