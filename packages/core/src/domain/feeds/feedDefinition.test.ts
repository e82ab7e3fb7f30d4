/** Keys of shared feeds are equal for equal definitions, and for no others. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { feedModes } from "../../contract/rpc.ts"
import { type FeedDefinition, feedIdOf, feedKeyOf, feedPhaseMs } from "./feedDefinition.ts"

const bytes = fc.uint8Array({ maxLength: 3 })
const id = fc.constantFrom("1".repeat(64), "2".repeat(64), "price.acme")
const maybe = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: undefined })
const flag = maybe(fc.boolean())

/** Few values of each member, so that equal definitions occur. */
const definition: fc.Arbitrary<FeedDefinition> = fc.record({
  projectId: fc.constantFrom("one", "two"),
  mode: fc.constantFrom(...feedModes),
  periodMs: fc.constantFrom(10, 1_000),
  key: fc.record({ execProgramId: id, execInputs: bytes, tallyProgramId: id, tallyInputs: bytes }),
  options: fc.record({
    execProgramId: maybe(id),
    tallyProgramId: maybe(id),
    inputEncoding: maybe(fc.constantFrom("auto", "hex")),
    returnLastResult: flag,
    returnLastResultMaxAge: maybe(fc.constantFrom(0, 1.5)),
    injectLastResult: maybe(fc.constantFrom("none", "last", "success")),
    includeSummary: flag,
    includeDebugInfo: flag,
    noPrefetch: flag,
    includeRecording: flag,
    dryRun: flag,
    encoding: maybe(fc.constantFrom("hex", "json"))
  })
})

/** What two definitions must agree in, written out. */
const agreeIn = ({ key, mode, options, periodMs, projectId }: FeedDefinition): object => ({
  projectId,
  mode,
  periodMs,
  exec: key.execProgramId,
  execInputs: [...key.execInputs],
  tally: key.tallyProgramId,
  tallyInputs: [...key.tallyInputs],
  inject: options.injectLastResult ?? "none",
  stored: options.returnLastResult === true ? { youngerThan: options.returnLastResultMaxAge ?? "any" } : "no",
  flags: [options.noPrefetch, options.includeRecording, options.includeSummary, options.includeDebugInfo].map((on) => on === true),
  encoding: options.encoding ?? "hex"
})

describe("the key of a shared feed", () => {
  it("is equal exactly if what determines runs and answers is equal", () => {
    let equal = 0
    // The second definition is the first with one member or option changed, or another one.
    const pair = fc
      .tuple(
        definition,
        definition,
        fc.constantFrom("all" as const, "options" as const, "key" as const, "mode" as const, "projectId" as const, "none" as const)
      )
      .map(([one, other, what]): readonly [FeedDefinition, FeedDefinition] => {
        if (what === "all") return [one, other]
        return [one, what === "none" ? structuredClone(one) : { ...one, [what]: other[what] }]
      })
    fc.assert(
      fc.property(pair, ([one, other]) => {
        const same = JSON.stringify(agreeIn(one)) === JSON.stringify(agreeIn(other))
        if (same) equal += 1
        expect(feedKeyOf(one) === feedKeyOf(other)).toBe(same)
      }),
      { numRuns: 2_000 }
    )
    expect(equal).toBeGreaterThan(100)
  })

  it("is never that of another project", () => {
    fc.assert(
      fc.property(definition, fc.string(), fc.string(), (each, one, other) => {
        const keys = [one, other].map((projectId) => feedKeyOf({ ...each, projectId }))
        expect(keys[0] === keys[1]).toBe(one === other)
      })
    )
  })

  it("gives a UUID, and a place for the grid within the period", () => {
    fc.assert(
      fc.property(definition, fc.integer({ min: 1, max: 86_400_000 }), (each, periodMs) => {
        const key = feedKeyOf(each)
        expect(key).toMatch(/^[0-9a-f]{64}$/)
        expect(feedIdOf(key)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        const phase = feedPhaseMs(key, periodMs)
        expect(phase >= 0 && phase < periodMs && Number.isInteger(phase)).toBe(true)
      })
    )
  })
})
