/** Whether any run fits into a project's usage limit: a limit below the smallest hold would answer 429 forever. */
import { InvalidSetting } from "../settings/invalidSetting.ts"
import { type Tariff, worstPriceOf } from "./price.ts"
import type { Project } from "../accounts/project.ts"

/** Why no run fits; `undefined` if some do. A limit of 0 is deliberate: nothing may run. */
export const usageLimitMisfit = (
  { gasLimits, usageLimit }: Pick<Project, "gasLimits" | "usageLimit">,
  tariff: Tariff
): InvalidSetting | undefined => {
  const smallest = worstPriceOf(tariff, gasLimits, 0n).total
  if (usageLimit === null || usageLimit.credits === 0n || usageLimit.credits >= smallest) return undefined
  return new InvalidSetting({
    field: "usageLimit.credits",
    rule:
      `must be 0 or at least ${smallest}, not ${usageLimit.credits}: every run of these gas limits holds ${smallest} credits ` +
      "until its cost is known and gets back what it does not cost, so none would ever start. Lower gas limits hold less"
  })
}
