/** Which loops the fast build writes several times. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { LabelNotes } from "./labelNotes.ts"
import { ShortLoops } from "./shortLoops.ts"

/** A function's code: loops of so many bytes, each with a call or without, one after the other. */
interface Written {
  readonly bytes: number
  readonly hasCall: boolean
}

/** How often each loop is written. */
const copiesOf = (loops: ReadonlyArray<Written>, { codeBytes = 0, locals = 3 } = {}): ReadonlyArray<number> => {
  const labels = new LabelNotes()
  const shortLoops = new ShortLoops()
  labels.add()
  shortLoops.begin(locals)
  let at = 100
  for (const { bytes, hasCall } of loops) {
    const place = labels.add()
    shortLoops.openLoop(at, at + 2, true)
    if (hasCall) shortLoops.barrier(at + 2)
    at += 2 + bytes
    shortLoops.close(at, place)
    at += 1
  }
  shortLoops.choose(labels, codeBytes)
  const reader = labels.read()
  reader.next()
  return loops.map(() => {
    reader.next()
    return reader.copies
  })
}

describe("how often a loop is written", () => {
  it("is four times up to 48 bytes, twice up to 96, else once", () => {
    const loops = [1, 48, 49, 96, 97].map((bytes) => ({ bytes, hasCall: false }))
    expect(copiesOf(loops)).toEqual([4, 4, 2, 2, 1])
  })

  it("is once for a loop that calls", () => {
    const loops = [true, false].map((hasCall) => ({ bytes: 10, hasCall }))
    expect(copiesOf(loops)).toEqual([1, 4])
  })

  it("is once in a function of many locals, where every branch is dear to compile", () => {
    expect(copiesOf([{ bytes: 10, hasCall: false }], { locals: 129 })).toEqual([1])
  })

  it("is once for a loop with another one inside, and for one that takes or leaves values", () => {
    const labels = new LabelNotes()
    const shortLoops = new ShortLoops()
    const [outer, inner, block, withValues] = [labels.add(), labels.add(), labels.add(), labels.add()]
    shortLoops.begin(1)
    shortLoops.openLoop(10, 12, true)
    shortLoops.openLoop(13, 15, true)
    shortLoops.openBlock()
    shortLoops.close(19, block)
    shortLoops.close(20, inner)
    shortLoops.close(21, outer)
    shortLoops.openLoop(30, 32, false)
    shortLoops.close(40, withValues)
    shortLoops.choose(labels, 0)
    const reader = labels.read()
    const copies = [outer, inner, block, withValues].map(() => {
      reader.next()
      return reader.copies
    })
    expect(copies).toEqual([1, 4, 1, 1])
  })
})

it("all copies of a module take at most 512 bytes, or a thirty-second of its code; short loops come first", () => {
  const loops = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 120 }), hasCall: fc.boolean() }), { maxLength: 60, size: "max" })
  let isShortOfRoom = 0
  fc.assert(
    fc.property(loops, fc.nat(60_000), (all, codeBytes) => {
      const copies = copiesOf(all, { codeBytes })
      const added = all.reduce((sum, { bytes }, at) => sum + ((copies[at] ?? 1) - 1) * bytes, 0)
      expect(added).toBeLessThanOrEqual(Math.max(512, codeBytes / 32))
      const repeated = all.filter((_, at) => (copies[at] ?? 1) > 1).map(({ bytes }) => bytes)
      const left = all.filter(({ bytes, hasCall }, at) => copies[at] === 1 && !hasCall && bytes <= 96).map(({ bytes }) => bytes)
      if (left.length > 0) isShortOfRoom += 1
      expect(Math.max(0, ...repeated)).toBeLessThanOrEqual(Math.min(...left))
    })
  )
  expect(isShortOfRoom).toBeGreaterThan(0)
})
