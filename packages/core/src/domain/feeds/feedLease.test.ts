/** At any time at most one owner holds a lease, and what it took no other owner takes again. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { advancedTo, type FeedLease, type FeedLeaseRecord, holdsLease, leasedTo, scheduleKeptMs } from "./feedLease.ts"

const leaseMs = 3_000

type Step = { readonly owner: number; readonly act: "acquire" | "renew" | "take" } | { readonly waitMs: number }

/** Three owners act in any order; whoever does not act has died, is paused or cut off. */
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({ owner: fc.nat({ max: 2 }), act: fc.constantFrom("acquire" as const, "renew" as const, "take" as const) }),
    fc.record({ waitMs: fc.nat({ max: leaseMs }) })
  ),
  { maxLength: 200, size: "max" }
)

const leaseOf = ({ owner, term }: FeedLeaseRecord): FeedLease => ({ feedKey: "feed", owner, term })

it("has one holder at a time, and gives every tick to one of them", () => {
  fc.assert(
    fc.property(steps, (history) => {
      let nowMs = 1_000_000
      let record: FeedLeaseRecord | undefined
      const leases: Array<FeedLease | undefined> = []
      const taken: Array<string> = []
      for (const step of history) {
        if ("waitMs" in step) nowMs += step.waitMs
        else if (step.act === "acquire") {
          const next = leasedTo(record, { feedKey: "feed", owner: `${step.owner}`, leaseMs }, nowMs)
          if (next !== undefined) leases[step.owner] = leaseOf((record = next))
        } else {
          const lease = leases[step.owner]
          if (lease === undefined || !holdsLease(record, lease, nowMs)) continue
          if (step.act === "renew") record = { ...record, leaseUntilMs: nowMs + leaseMs }
          else {
            taken.push(`${record.epoch}/${record.nextTick}`)
            record = advancedTo(record, { nextTick: record.nextTick + 1, seq: record.seq + 1 })
          }
        }
        const now = nowMs
        expect(leases.filter((lease) => lease !== undefined && holdsLease(record, lease, now)).length).toBeLessThanOrEqual(1)
      }
      expect(new Set(taken).size).toBe(taken.length)
    })
  )
})

it("continues the schedule of a former owner, and begins a later epoch when it was forgotten", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat({ max: 2 * scheduleKeptMs }), (nextTick, seq, pauseMs) => {
      const before: FeedLeaseRecord = { owner: "a", term: 3, leaseUntilMs: 5_000, epoch: 1_000, nextTick, seq }
      const after = leasedTo(before, { feedKey: "feed", owner: "b", leaseMs }, 5_000 + pauseMs)
      if (pauseMs < scheduleKeptMs) expect(after).toMatchObject({ owner: "b", term: 4, epoch: 1_000, nextTick, seq })
      else expect(after).toMatchObject({ owner: "b", term: 4, epoch: 5_000 + pauseMs, nextTick: 0, seq: 0 })
    })
  )
})
