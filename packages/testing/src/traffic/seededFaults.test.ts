/** Every seeded fault of a service is found by `conforms` within a bounded number of sequences. */
import fc from "fast-check"
import { afterAll, describe, expect, test } from "vitest"
import { conforms, type PlayedSequence } from "./conforms.ts"
import { openSimTarget } from "./sim/openSimTarget.ts"
import { seededFaults } from "./testdata/seededFaults.ts"

/** At most so many sequences; most faults are found by one of the first ten. */
const numRuns = 150

describe("conforms finds", () => {
  const needed = new Map<string, number>()
  afterAll(() => console.log([...needed].map(([n, c]) => `${c}\t${n}`).join("\n")))
  test.each(seededFaults)("$name", async ({ breaks, name, options }) => {
    const found: Array<PlayedSequence> = []
    let played = 0
    const onSequence = (sequence: PlayedSequence): void => {
      played += 1
      if (sequence.violations.length > 0) found.push(sequence)
    }
    const details = await fc.check(conforms(openSimTarget(options()), { onSequence }), { numRuns, seed: 20_261_125, endOnFailure: true })
    expect(details.failed).toBe(true)
    const rules = (found[0]?.violations ?? []).map(({ rule }) => rule)
    needed.set(`${name}: ${[...new Set(rules)]}`, played)
    expect(rules.filter((rule) => breaks.includes(rule)), rules.join()).not.toEqual([])
  }, 120_000)
})
