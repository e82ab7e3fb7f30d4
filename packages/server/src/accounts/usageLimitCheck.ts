/** Whether a project's usage limit would let any run through after a change. */
import { defaultTariff, type Project, type SettingChanges, type Tariff, usageLimitMisfit } from "@sibyl/core"
import { Effect } from "effect"

/** Fails when no run would fit into the usage limit; a limit that stays, but fits no more, counts too. */
export const checkUsageLimit = (
  before: Pick<Project, "gasLimits" | "usageLimit">,
  { gasLimits, usageLimit = before.usageLimit }: SettingChanges,
  tariff: Partial<Tariff>
) => {
  const after = { gasLimits: { ...before.gasLimits, ...gasLimits }, usageLimit }
  const misfit = usageLimitMisfit(after, { ...defaultTariff, ...tariff })
  return misfit === undefined ? Effect.void : Effect.fail(misfit)
}
