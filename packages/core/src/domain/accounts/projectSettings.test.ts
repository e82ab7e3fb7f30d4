/** The settings of a project: valid ones are kept unchanged, invalid ones are refused by name. */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { defaultLimits } from "../settings/limits.ts"
import { changedSettings, defaultSettings, isProjectLimit, type ProjectLimit, type ProjectSettings } from "./projectSettings.ts"

const gas = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })
const usageLimit = fc.record({
  periodMs: fc.integer({ min: 1_000, max: 31_622_400_000 }),
  credits: fc.bigInt({ min: 0n, max: 2n ** 90n })
})
const programId = fc.hexaString({ minLength: 64, maxLength: 64 })
const names = Object.keys(defaultLimits).filter(isProjectLimit)
const limitValue = (name: ProjectLimit) =>
  typeof defaultLimits[name] === "bigint" ? fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }) : fc.integer({ min: 1, max: 2_147_483_647 })
const limits = fc.record(Object.fromEntries(names.map((name) => [name, limitValue(name)])), { requiredKeys: [] })

const settings: fc.Arbitrary<ProjectSettings> = fc.record({
  gasLimits: fc.record({ exec: gas, tally: gas }),
  usageLimit: fc.option(usageLimit),
  allowedPrograms: fc.option(fc.uniqueArray(programId, { maxLength: 4 })),
  allowedHosts: fc.option(fc.uniqueArray(fc.stringMatching(/^(\*\.)?[a-z0-9]{1,9}\.example$/), { maxLength: 4 })),
  limits
})

const fieldOf = (changes: object): string | undefined => {
  const checked = changedSettings(defaultSettings, changes)
  return Either.isLeft(checked) ? checked.left.field : undefined
}

describe("changedSettings", () => {
  it("changes the defaults into any valid settings, exactly", () => {
    fc.assert(
      fc.property(settings, (wanted) => {
        expect(changedSettings(defaultSettings, wanted)).toEqual(Either.right(wanted))
      })
    )
  })

  it("changes only what is named", () => {
    fc.assert(
      fc.property(
        settings,
        settings,
        fc.subarray(["gasLimits", "usageLimit", "allowedPrograms", "allowedHosts", "limits"] as const),
        (before, other, fields) => {
          const changes = Object.fromEntries(fields.map((field) => [field, other[field]]))
          const expected = { ...before, ...changes, limits: before.limits }
          const merged = fields.includes("limits") ? { ...before.limits, ...other.limits } : before.limits
          expect(changedSettings(before, changes)).toEqual(Either.right({ ...expected, limits: merged }))
        }
      )
    )
  })

  it("resets a limit, a single gas limit, and a limit that was not set", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(...names), gas, (before, name, exec) => {
        const after = Either.getOrThrow(changedSettings(before, { limits: { [name]: null }, gasLimits: { exec } }))
        expect(after.limits).toEqual(Object.fromEntries(Object.entries(before.limits).filter(([each]) => each !== name)))
        expect(after.gasLimits).toEqual({ exec, tally: before.gasLimits.tally })
      })
    )
  })

  it("keeps each allowed program once, in its canonical form", () => {
    fc.assert(
      fc.property(fc.uniqueArray(programId, { maxLength: 5 }), (ids) => {
        const allowedPrograms = [...ids.map((id) => `0x${id.toUpperCase()}`), ...ids]
        expect(changedSettings(defaultSettings, { allowedPrograms })).toEqual(Either.right({ ...defaultSettings, allowedPrograms: ids }))
      })
    )
  })

  it("refuses an invalid value with the name of its field", () => {
    const periodMs = 60_000
    const tooMany = Array.from({ length: 1_001 }, (_, at) => at.toString(16).padStart(64, "0"))
    const wrong: ReadonlyArray<readonly [field: string, changes: object]> = [
      ["gasLimits.exec", { gasLimits: { exec: 0n } }],
      ["gasLimits.exec", { gasLimits: { exec: -1n } }],
      ["gasLimits.tally", { gasLimits: { tally: 2n ** 63n } }],
      ["gasLimits.tally", { gasLimits: { tally: 5 } }],
      ["gasLimits.exce", { gasLimits: { exce: 5n } }],
      ["gasLimits", { gasLimits: 5n }],
      ["gasLimits", { gasLimits: null }],
      ["usageLimit", { usageLimit: 5n }],
      ["usageLimit.credits", { usageLimit: { periodMs, limit: 5n } }],
      ["usageLimit.credits", { usageLimit: { periodMs, credits: 5 } }],
      ["usageLimit.periodMs", { usageLimit: { periodMs: 999, credits: 1n } }],
      ["usageLimit.periodMs", { usageLimit: { periodMs: 1_000.5, credits: 1n } }],
      ["usageLimit.periodMs", { usageLimit: { periodMs: 31_622_400_001, credits: 1n } }],
      ["usageLimit.credits", { usageLimit: { periodMs, credits: -1n } }],
      ["allowedPrograms[0]", { allowedPrograms: ["ab"] }],
      ["allowedPrograms[1]", { allowedPrograms: ["ab".repeat(32), "gg".repeat(32)] }],
      ["allowedPrograms", { allowedPrograms: tooMany }],
      ["allowedPrograms", { allowedPrograms: "ab".repeat(32) }],
      ["allowedPrograms[0]", { allowedPrograms: [5] }],
      ["allowedHosts", { allowedHosts: "a.example" }],
      ["allowedHosts[0]", { allowedHosts: [5] }],
      ["limits", { limits: 5 }],
      ["limits", { limits: null }],
      ["allowedHosts[1]", { allowedHosts: ["a.example", "a.example:443"] }],
      ["allowedHosts", { allowedHosts: Array.from({ length: 101 }, (_, index) => `h${index}.example`) }],
      ["limits.execWallClock", { limits: { execWallClock: 1 } }],
      ["limits.urlBytes", { limits: { urlBytes: 1 } }],
      ["limits.programBytes", { limits: { programBytes: 1 } }],
      ["limits.toString", { limits: { toString: 1 } }],
      ["limits.stdoutBytes", { limits: { stdoutBytes: 0 } }],
      ["limits.stdoutBytes", { limits: { stdoutBytes: 1.5 } }],
      ["limits.stdoutBytes", { limits: { stdoutBytes: 1n } }],
      ["limits.execWallClockMs", { limits: { execWallClockMs: 2_147_483_648 } }],
      ["limits.httpPrefetches", { limits: { httpPrefetches: -1 } }],
      ["limits.proxyBudgetCredits", { limits: { proxyBudgetCredits: -1n } }],
      ["limits.proxyBudgetCredits", { limits: { proxyBudgetCredits: 1 } }]
    ]
    for (const [field, changes] of wrong) expect(fieldOf(changes), JSON.stringify(field)).toBe(field)
    expect(fieldOf({ allowedPrograms: tooMany.slice(1) })).toBeUndefined()
  })

  it("lists the known limits when one is unknown", () => {
    const checked = changedSettings(defaultSettings, { limits: { execWallClock: 1 } as object })
    expect(Either.isLeft(checked) ? checked.left.message : "").toContain("execWallClockMs")
  })
})
