/** A usage limit below every hold is reported before it refuses every run. */
import { expect, it } from "vitest"
import { defaultTariff } from "./price.ts"
import { defaultGasLimits } from "../settings/gasLimits.ts"
import { usageLimitMisfit } from "./usageLimitFit.ts"

const misfit = (credits: bigint, gasLimits = defaultGasLimits) =>
  usageLimitMisfit({ gasLimits, usageLimit: { periodMs: 1_000, credits } }, defaultTariff)

it("is too small below the hold of a run without data proxies, except 0", () => {
  expect(misfit(350n)).toMatchObject({ _tag: "InvalidSetting", field: "usageLimit.credits" })
  expect(misfit(350n)?.message).toContain("at least 351")
  expect([misfit(351n), misfit(0n), misfit(11n, { exec: 9n * 10n ** 12n, tally: 10n ** 12n })]).toEqual([undefined, undefined, undefined])
  expect(usageLimitMisfit({ gasLimits: defaultGasLimits, usageLimit: null }, defaultTariff)).toBe(undefined)
})
