/** Refuses a usage limit too low for any run, whether it is set by a command or by an embedding server. */
import { Accounts, changedSettings, defaultTariff, type ProjectSettings, Provisioning, type SettingChanges, type Tariff } from "@sibyl/core"
import { defaultSettings, usageLimitMisfit } from "@sibyl/core/internal"
import { Effect, Layer } from "effect"

/** Fails if no run would fit into the usage limit, also if only the gas limits change. */
const checkUsageLimit = (before: ProjectSettings, change: SettingChanges, tariff: Tariff) =>
  Effect.flatMap(changedSettings(before, change), (after) => {
    const misfit = usageLimitMisfit(after, tariff)
    return misfit === undefined ? Effect.void : Effect.fail(misfit)
  })

/** `Provisioning` with this check under the given tariff, after the rules of settings. */
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
