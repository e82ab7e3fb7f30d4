/** The kit's frames follow RFC 6455, and a stream split anywhere gives the same ones. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { closePayload, encodeFrame, FrameReader, opcodes, readFrame, type ReceivedFrame } from "./frames.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

describe("RFC 6455, section 5.7", () => {
  it("an unmasked text", () => {
    expect(hex(encodeFrame({ opcode: opcodes.text, payload: "Hello", masked: false }))).toBe("810548656c6c6f")
  })

  it("a masked text is read", () => {
    const { frame, size } = readFrame(Buffer.from("818537fa213d7f9f4d5158", "hex")) ?? {}
    expect([frame?.payload.toString(), frame?.masked, size]).toEqual(["Hello", true, 11])
  })

  it("a fragmented text", () => {
    const fragments = [
      encodeFrame({ opcode: opcodes.text, payload: "Hel", fin: false, masked: false }),
      encodeFrame({ opcode: opcodes.continuation, payload: "lo", masked: false })
    ]
    expect(fragments.map(hex)).toEqual(["010348656c", "80026c6f"])
  })

  it("256 bytes and 64 KiB have lengths of 2 and of 8 bytes", () => {
    const head = (length: number): string =>
      hex(encodeFrame({ opcode: opcodes.binary, payload: new Uint8Array(length), masked: false }).subarray(0, 10))
    expect(head(256).slice(0, 8)).toBe("827e0100")
    expect(head(65_536)).toBe("827f0000000000010000")
  })

  it("a close frame begins with its code", () => {
    expect(hex(encodeFrame({ opcode: opcodes.close, payload: closePayload(1001, "x"), masked: false }))).toBe("880303e978")
  })
})

const frames = fc.array(
  fc.record({
    opcode: fc.nat(15),
    fin: fc.boolean(),
    masked: fc.boolean(),
    reserved: fc.nat(7),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.nat(70_000).map((length) => new Uint8Array(length).fill(7))
    )
  }),
  { maxLength: 6 }
)

it("a stream of frames, split anywhere, is parsed into the frames that were written", () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(100_000), { maxLength: 12 }), (written, cuts) => {
      const stream = Buffer.concat(written.map(encodeFrame))
      const reader = new FrameReader()
      const read: Array<ReceivedFrame> = []
      let from = 0
      for (const cut of [...cuts.map((at) => at % (stream.length + 1)).sort((a, b) => a - b), stream.length]) {
        read.push(...reader.push(stream.subarray(from, cut)))
        from = cut
      }
      expect(read.map((frame) => ({ ...frame, payload: hex(frame.payload) }))).toEqual(
        written.map((frame) => ({ ...frame, payload: hex(frame.payload) }))
      )
    }),
    { numRuns: 200 }
  )
})

it("a claimed length and an unnecessarily long one are written as requested", () => {
  expect(hex(encodeFrame({ opcode: 1, payload: "a", claimedLength: 5, masked: false }))).toBe("810561")
  expect(hex(encodeFrame({ opcode: 1, payload: "a", lengthBytes: 8, masked: false }))).toBe("817f000000000000000161")
})
