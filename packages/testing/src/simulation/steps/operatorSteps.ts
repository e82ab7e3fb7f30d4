/** Steps of operators: grants, credits that are taken back, usage limits that are changed, and keys that are revoked and replaced. */
import type { InsufficientCredits } from "@sibyl/core"
import { grantCredits, holdOfRun, issueKey, limitUsage, type Tenant, withdrawCredits } from "../world/tenants.ts"
import type { World } from "../world/world.ts"
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

/** Credits that nobody has used or holds. */
const remainingOf = async ({ database }: World, { projectId }: Tenant): Promise<bigint> => {
  const { granted, held, used } = await database.books(projectId)
  return granted - held - used
}

/** Takes credits back, or says why not; that is right only if there were fewer. */
const tryWithdrawing = async (world: World, tenant: Tenant, credits: bigint): Promise<InsufficientCredits | undefined> => {
  const remaining = await remainingOf(world, tenant)
  const refusal = await withdrawCredits(world.operator, tenant, credits)
  world.trace.say(`  ${credits} of ${tenant.name} ${refusal === undefined ? "are withdrawn" : `are not withdrawn: ${refusal.message}`}`)
  world.findings.mustHold(
    refusal === undefined || remaining < credits,
    "refused without need",
    () => `${tenant.name}: ${credits} were not withdrawn, ${remaining} remained`
  )
  return refusal
}

/** Servers look this often for credits that they are to give back. */
const givenBackMs = 300

const withdraw: Step = {
  name: "withdraw",
  weight: 8,
  mayRun: ({ withdraws }) => withdraws,
  run: async (world) => {
    const { random } = world
    const tenant = random.pick(world.tenants)
    const remaining = await remainingOf(world, tenant)
    const credits = random.pick([holdOfRun, BigInt(random.between(1, 5)) * holdOfRun, remaining, remaining + 1n, remaining + holdOfRun])
    const refusal = await tryWithdrawing(world, tenant, credits)
    if (refusal?.details?.["isRecalling"] === undefined) return
    await world.clock.play(givenBackMs)
    await tryWithdrawing(world, tenant, credits)
  }
}

const changeLimit: Step = {
  name: "change a usage limit",
  weight: 4,
  mayRun: ({ tenants, withdraws }) => withdraws && tenants.some(({ usageLimit }) => usageLimit !== null),
  run: async (world) => {
    const tenant = world.random.pick(world.tenants.filter(({ usageLimit }) => usageLimit !== null))
    if (tenant.usageLimit === null) return
    const credits = BigInt(world.random.between(1, 8)) * holdOfRun
    world.trace.say(`  the usage limit of ${tenant.name} is ${credits}, no more ${tenant.usageLimit.credits}`)
    await limitUsage(world.operator, tenant, { ...tenant.usageLimit, credits }, world.clock.unsafeCurrentTimeMillis())
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
export const operatorSteps: ReadonlyArray<Step> = [grant, withdraw, changeLimit, replaceKey]
