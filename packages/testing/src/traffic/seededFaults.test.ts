/** Every seeded fault of a service is found by `conforms` within a bounded number of sequences. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { conforms, type PlayedSequence } from "./conforms.ts"
import { openSimTarget } from "./sim/openSimTarget.ts"
import { seededFaults } from "./testdata/seededFaults.ts"

/** At most so many sequences; with this seed every fault is found by one of the first hundred. */
const numRuns = 150

describe("conforms finds", () => {
  test.each(seededFaults)(
    "$name",
    async ({ breaks, options }) => {
      const found: Array<PlayedSequence> = []
      const onSequence = (sequence: PlayedSequence): void => {
        if (sequence.violations.length > 0) found.push(sequence)
      }
      const details = await fc.check(conforms(openSimTarget(options()), { onSequence }), { numRuns, seed: 20_261_125, endOnFailure: true })
      expect(details.failed).toBe(true)
      const rules = (found[0]?.violations ?? []).map(({ rule }) => rule)
      expect(
        rules.filter((rule) => breaks.includes(rule)),
        rules.join()
      ).not.toEqual([])
    },
    120_000
  )
})
