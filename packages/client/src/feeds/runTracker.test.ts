/** Each number is new once, or told as missing once, in whatever order numbers come. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { arrived, firstOpen, freshTracker } from "./runTracker.ts"

const numbers = fc.array(fc.nat(40), { maxLength: 80 })

test("what is new, what was given up, and what is open make up all numbers to the greatest, each once", () => {
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 12 }), (order, window) => {
      let tracker = freshTracker(false)
      const known: Array<number> = []
      for (const seq of order) {
        const arrival = arrived(tracker, seq, window)
        tracker = arrival.tracker
        for (const { from, to } of arrival.missing) for (let each = from; each < to; each += 1) known.push(each)
        if (arrival.isNew) known.push(seq)
        expect(tracker.ahead.size).toBeLessThan(window)
      }
      expect(new Set(known).size).toBe(known.length)
      const next = firstOpen(tracker) ?? 0
      for (let seq = 0; seq < next; seq += 1) expect(known).toContain(seq)
      expect(known.filter((seq) => seq >= next).sort((one, other) => one - other)).toEqual(
        [...tracker.ahead].sort((one, other) => one - other)
      )
    })
  )
})

test("a shared feed that is joined begins with what comes first; what was in flight then is new, and never missing", () => {
  const joined = arrived(freshTracker(true), 7, 1)
  expect(joined).toMatchObject({ isNew: true, missing: [] })
  const late = arrived(joined.tracker, 5, 1)
  expect(late).toMatchObject({ isNew: true, missing: [] })
  expect(arrived(late.tracker, 5, 1).isNew).toBe(false)
  expect(arrived(late.tracker, 10, 1)).toMatchObject({ isNew: true, missing: [{ from: 8, to: 10 }] })
})
