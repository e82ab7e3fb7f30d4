/** Refuses a usage limit that would let no run through, whoever sets it: a command or the embedding server's own code. */
import { Accounts, defaultTariff, type Project, Provisioning, type SettingChanges, type Tariff } from "@sibyl/core"
import { defaultSettings, usageLimitMisfit } from "@sibyl/core/internal"
import { Effect, Layer } from "effect"

/** Fails when no run would fit into the usage limit; a limit that stays, but fits no more, counts too. */
const checkUsageLimit = (
  before: Pick<Project, "gasLimits" | "usageLimit">,
  { gasLimits, usageLimit = before.usageLimit }: SettingChanges,
  tariff: Tariff
) => {
  const after = { gasLimits: { ...before.gasLimits, ...gasLimits }, usageLimit }
  const misfit = usageLimitMisfit(after, tariff)
  return misfit === undefined ? Effect.void : Effect.fail(misfit)
}

/** `Provisioning` as it is, save that it refuses such limits under this tariff. A rule of the store itself comes second. */
export const layerUsageLimitCheck = (changed: Partial<Tariff>): Layer.Layer<Provisioning, never, Provisioning | Accounts> =>
  Layer.effect(
    Provisioning,
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const accounts = yield* Accounts
      const tariff = { ...defaultTariff, ...changed }
      return {
        ...provisioning,
        createProject: (project) => Effect.zipRight(checkUsageLimit(defaultSettings, project, tariff), provisioning.createProject(project)),
        updateProject: (projectId, change) =>
          Effect.gen(function* () {
            if (change.usageLimit !== undefined || change.gasLimits !== undefined) {
              yield* checkUsageLimit(yield* accounts.project(projectId), change, tariff)
            }
            return yield* provisioning.updateProject(projectId, change)
          })
      }
    })
  )
