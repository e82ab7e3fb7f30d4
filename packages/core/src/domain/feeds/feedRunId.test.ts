/** The run of a tick has one id wherever it runs, and no two ticks share one. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { feedRunId } from "./feedRunId.ts"

const count = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const tick = fc.tuple(fc.string(), count, count)

it("depends on feed, epoch and tick, and on nothing else", () => {
  fc.assert(
    fc.property(tick, tick, (left, right) => {
      expect(feedRunId(...left)).toBe(feedRunId(...left))
      const isSame = left.every((part, at) => part === right[at])
      expect(feedRunId(...left) === feedRunId(...right)).toBe(isSame)
    })
  )
})

it("differs when two of its parts change places", () => {
  fc.assert(
    fc.property(fc.string(), count, count, (feedKey, one, other) => {
      fc.pre(one !== other)
      expect(feedRunId(feedKey, one, other)).not.toBe(feedRunId(feedKey, other, one))
    })
  )
})

it("is a UUID of version 8, the same in every release", () => {
  expect(feedRunId("feed", 1_748_781_296_789, 7)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(feedRunId("feed", 1_748_781_296_789, 7)).toMatchInlineSnapshot(`"bfda2c7f-34ad-8e25-bced-d37835f0b4a8"`)
})
