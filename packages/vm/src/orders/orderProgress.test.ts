/** What a worker and its pool see of its orders, by the memory that they share. */
import { describe, expect, it } from "vitest"
import { OrderProgress } from "./orderProgress.ts"

describe("the progress of orders", () => {
  it("tells when the tally phase of the present order began, and of no other", () => {
    const pool = new OrderProgress()
    const worker = new OrderProgress(pool.memory)
    expect(pool.tallyAfterMs(0)).toBeUndefined()
    worker.beginTally(12.3)
    expect(pool.tallyAfterMs(0)).toBe(13)
    worker.ended()
    expect([pool.isPast(0), pool.isPast(1), pool.tallyAfterMs(0), pool.tallyAfterMs(1)]).toEqual([true, false, undefined, undefined])
    worker.beginTally(0)
    // The pool has not heard of the first one's end.
    expect([pool.tallyAfterMs(0), pool.tallyAfterMs(1)]).toEqual([undefined, 0])
  })

  it("leaves out what was recalled and has not begun: neither the one before, which may not have begun either, nor what follows", () => {
    const pool = new OrderProgress()
    const worker = new OrderProgress(pool.memory)
    pool.recall(2, 4)
    const leftOut = Array.from({ length: 6 }, () => {
      const { isNextRecalled } = worker
      worker.ended()
      return isNextRecalled
    })
    expect(leftOut).toEqual([false, false, true, true, false, false])
  })
})
