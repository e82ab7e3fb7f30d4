/** Frames: whatever pieces a stream comes in, the messages are those that were written. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FrameReader, frameOf } from "./frame.ts"

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

describe("frames", () => {
  it("bring every message, empty ones too, whatever pieces they come in", () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 })
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (written, cuts) => {
        const stream = joined(written.map(frameOf))
        const reader = new FrameReader(1_000)
        const read: Array<Uint8Array> = []
        for (let at = 0, cut = 0; at < stream.length; cut += 1) {
          const length = cuts[cut % cuts.length] ?? 1
          read.push(...(reader.push(stream.subarray(at, at + length)) ?? []))
          at += length
        }
        expect(read).toEqual(written)
      }),
      { numRuns: 300 }
    )
  })

  it("are refused before they are read if they say that they are too long", () => {
    const reader = new FrameReader(100)
    expect(reader.push(frameOf(new Uint8Array(100)))).toEqual([new Uint8Array(100)])
    expect(reader.push(frameOf(new Uint8Array(101)).subarray(0, 4))).toBeUndefined()
  })
})
