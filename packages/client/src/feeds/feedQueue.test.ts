/** Whatever gives way in a queue is told: what is taken and what gaps count are together what was added, in order. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { GapItem } from "./feedItem.ts"
import { FeedQueue } from "./feedQueue.ts"

const runOf = (seq: number) => ({ kind: "run" as const, run: { feedId: "one", seq, scheduledAt: 0, startedAt: 0 } })
const lost: GapItem = { kind: "gap", why: "reconnected", feedId: "one", missed: undefined, from: undefined, to: undefined }

test("taken runs and counted gaps are what was added, and no more runs wait than may", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.constantFrom("push", "push", "push", "take", "gap"), { maxLength: 60 }),
      (most, steps) => {
        const queue = new FeedQueue(most)
        const taken: Array<number> = []
        let pushed = 0
        const take = (): boolean => {
          const waiting = queue.take()
          if (waiting?.kind === "run") taken.push(waiting.run.seq)
          if (waiting?.kind === "gap" && waiting.why === "slow") {
            const { from, missed = 0, to } = waiting
            expect([from?.seq, to?.seq]).toEqual([taken.length, taken.length + missed])
            for (let seq = 0; seq < missed; seq += 1) taken.push(taken.length)
          }
          return waiting !== undefined
        }
        for (const step of steps) {
          if (step === "take") take()
          else queue.push(step === "gap" ? lost : runOf(pushed++))
          expect(queue.runs).toBeLessThanOrEqual(most)
        }
        while (take());
        expect(taken).toEqual(Array.from({ length: pushed }, (_, seq) => seq))
      }
    )
  )
})

test("gaps do not wait without bound", () => {
  const queue = new FeedQueue(1)
  for (let count = 0; count < 1_000; count += 1) queue.push(lost)
  let waiting = 0
  while (queue.take() !== undefined) waiting += 1
  expect(waiting).toBeLessThan(100)
})
