/** Reading answers: their bytes in order, with bounded memory and a bounded number of chunks. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnswerBytes, ReadingRoom } from "./answerBytes.ts"

const kibibytes = (count: number): Uint8Array => new Uint8Array(count * 1_024)

describe("an answer's bytes", () => {
  it("are those of its chunks in their order", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40_000 }), { maxLength: 12 }), fc.nat(100_000), (chunks, declared) => {
        const answer = new AnswerBytes(new ReadingRoom(), "a", 1_000_000)
        if (declared > 0) answer.declare(declared)
        for (const chunk of chunks) expect(answer.append(chunk)).toBeUndefined()
        expect(answer.bytes()).toEqual(Uint8Array.from(chunks.flatMap((chunk) => [...chunk])))
      })
    )
  })

  it("take what the answer declares, at once up to 64 KiB", () => {
    for (const [declared, taken] of [
      [1_000, 1_000],
      [65_536, 65_536],
      [1_000_000, 65_536]
    ] as const) {
      const room = new ReadingRoom(100_000, 100_000)
      const answer = new AnswerBytes(room, "a", 1_000_000)
      answer.declare(declared)
      answer.append(new Uint8Array(1_000))
      expect([room.take("b", 100_001 - taken), room.take("b", 100_000 - taken)]).toEqual([false, true])
    }
  })

  it("are limited in number", () => {
    const answer = new AnswerBytes(new ReadingRoom(), "a", 1_000)
    expect(answer.append(new Uint8Array(1_000))).toBeUndefined()
    expect(answer.append(new Uint8Array(1))).toBe("tooLarge")
  })

  it("arrive in at most 1,024 chunks plus one for each 64 bytes", () => {
    const countUntilRefused = (size: number): number => {
      const answer = new AnswerBytes(new ReadingRoom(), "a", 1_048_576)
      for (let count = 1; count <= 20_000; count += 1) if (answer.append(new Uint8Array(size)) !== undefined) return count
      return Infinity
    }
    expect(countUntilRefused(1)).toBe(1_041)
    expect(countUntilRefused(64)).toBe(16_385)
  })

  it("take memory from the total and from their project's share, and release it", () => {
    const room = new ReadingRoom(100 * 1_024, 64 * 1_024)
    const answers = [new AnswerBytes(room, "a", 64 * 1_024), new AnswerBytes(room, "a", 64 * 1_024)] as const
    expect(answers[0].append(kibibytes(48))).toBeUndefined()
    expect(answers[1].append(kibibytes(17))).toBe("noRoom")
    expect(answers[1].append(kibibytes(16))).toBeUndefined()
    const other = new AnswerBytes(room, "b", 64 * 1_024)
    expect(other.append(kibibytes(37))).toBe("noRoom")
    expect(other.append(kibibytes(36))).toBeUndefined()
    for (const answer of [...answers, other]) answer.release()
    expect([room.take("a", 64 * 1_024), room.take("b", 36 * 1_024), room.take("c", 1)]).toEqual([true, true, false])
  })
})
