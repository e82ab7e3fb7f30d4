/** Steps of operators: grants, and keys that are revoked and replaced. */
import { grantCredits, holdOfRun, issueKey } from "../world/tenants.ts"
import type { Step } from "./step.ts"

const grant: Step = {
  name: "grant",
  weight: 3,
  run: async (world) => {
    const tenant = world.random.pick(world.tenants)
    const credits = BigInt(world.random.between(1, 5)) * holdOfRun
    world.trace.say(`  ${tenant.name} is granted ${credits}`)
    await grantCredits(world.operator, tenant, credits)
  }
}

const replaceKey: Step = {
  name: "replace a key",
  weight: 2,
  run: async (world) => {
    const tenant = world.random.pick(world.tenants)
    await issueKey(world.operator, tenant)
    const key = tenant.keys.find(({ revokedAtMs }) => revokedAtMs === undefined)
    if (key === undefined) return
    world.trace.say(`  ${tenant.name} loses key ${key.apiKeyId}`)
    await world.operator.run(world.operator.ports.keys.revoke(key.apiKeyId))
    key.revokedAtMs = world.clock.nowMs()
  }
}

/** All of them. */
export const operatorSteps: ReadonlyArray<Step> = [grant, replaceKey]
