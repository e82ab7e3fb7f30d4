/** The tenants of a simulation: projects with tight balances and limits, their keys, and what was granted to them. */
import type { InsufficientCredits, UsageLimit } from "@sibyl/core"
import { Effect, Redacted } from "effect"
import type { Operator } from "./operator.ts"
import type { SeededRandom } from "./seededRandom.ts"

/** One key. */
export interface TenantKey {
  readonly apiKeyId: string
  readonly text: string
  /** When it was revoked, in monotonic ms. */
  revokedAtMs: number | undefined
}

/** One project. */
export interface Tenant {
  readonly name: string
  readonly projectId: string
  readonly keys: Array<TenantKey>
  readonly allowed: ReadonlyArray<string>
  usageLimit: UsageLimit | null
  /** What its usage limits were before, and until when, by the wall clock. */
  readonly formerLimits: Array<{ readonly credits: bigint; readonly untilMs: number }>
  /** What was granted less what was taken back. */
  granted: bigint
  /** Texts of inputs that it has sent, for repetitions. */
  readonly sent: Array<string>
}

/** The gas limits of every project: a run holds 1 + 25 + 10 credits. */
export const gasLimits = { exec: 20_000_000_000_000n, tally: 5_000_000_000_000n } as const
/** What proxies may cost in one run. */
export const proxyBudgetCredits = 10n
/** What a run of any tenant holds. */
export const holdOfRun = 36n

/** The limits of the simulated services, small enough to be reached. */
export const simulatedLimits = {
  proxyBudgetCredits,
  execWallClockMs: 3_000,
  httpRequestTimeoutMs: 400,
  runsPerProject: 12,
  feedOverlap: 3,
  feedsPerConnection: 3,
  connectionsPerKey: 3,
  durableFeedsPerProject: 2,
  requestsPerConnection: 16,
  pingIntervalMs: 2_000,
  outputSoftBytes: 16_384,
  outputSoftMs: 1_000,
  outputHardBytes: 65_536
} as const

/** The programs that are deployed, by what they are: every project may run the first, some may run the second, nobody the third. */
export interface Deployed {
  readonly common: string
  readonly restricted: string
  readonly unknown: string
}

/** Deploys the programs. */
export const deployPrograms = async ({ ports: { programs }, run }: Operator): Promise<Deployed> => ({
  common: await run(programs.put(Uint8Array.of(1))),
  restricted: await run(programs.put(Uint8Array.of(2))),
  unknown: "ab".repeat(32)
})

/** Issues one more key. */
export const issueKey = async ({ ports, run }: Operator, tenant: Tenant): Promise<TenantKey> => {
  const { apiKeyId, key } = await run(ports.keys.issue(tenant.projectId))
  const issued: TenantKey = { apiKeyId, text: Redacted.value(key), revokedAtMs: undefined }
  tenant.keys.push(issued)
  return issued
}

/** Grants credits. */
export const grantCredits = async ({ ports, run }: Operator, tenant: Tenant, credits: bigint): Promise<void> => {
  await run(ports.provisioning.grant(tenant.projectId, credits))
  tenant.granted += credits
}

/** Takes credits back; answers why not, if they were not. */
export const withdrawCredits = async (
  { ports, run }: Operator,
  tenant: Tenant,
  credits: bigint
): Promise<InsufficientCredits | undefined> => {
  const refusal = await run(
    ports.provisioning.withdraw(tenant.projectId, credits).pipe(
      Effect.as(undefined),
      Effect.catchTag("InsufficientCredits", (error) => Effect.succeed(error))
    )
  )
  if (refusal === undefined) tenant.granted -= credits
  return refusal
}

/** Sets the credits of a usage limit; what is held then may be more. */
export const limitUsage = async ({ ports, run }: Operator, tenant: Tenant, usageLimit: UsageLimit, untilMs: number): Promise<void> => {
  await run(ports.provisioning.updateProject(tenant.projectId, { usageLimit }))
  if (tenant.usageLimit !== null) tenant.formerLimits.push({ credits: tenant.usageLimit.credits, untilMs })
  tenant.usageLimit = usageLimit
}

const usageLimitOf = (random: SeededRandom): UsageLimit | null =>
  random.percent(60) ? null : { periodMs: random.pick([2_000, 5_000, 20_000]), credits: BigInt(random.between(2, 8)) * holdOfRun }

/** Makes a tenant with a key and some credits: none, one run's hold exactly, a few, or plenty. */
export const makeTenant = async (operator: Operator, name: string, programs: Deployed, random: SeededRandom): Promise<Tenant> => {
  const allowed = random.percent(50) ? [programs.common] : [programs.common, programs.restricted]
  const usageLimit = usageLimitOf(random)
  const project = await operator.run(
    operator.ports.provisioning.createProject({
      organizationSlug: `org-${name}`,
      gasLimits,
      usageLimit,
      allowedPrograms: [...allowed, programs.unknown]
    })
  )
  const tenant: Tenant = { name, projectId: project.projectId, keys: [], allowed, usageLimit, formerLimits: [], granted: 0n, sent: [] }
  await issueKey(operator, tenant)
  const holds = random.pick([0, 1, 2, 3, 5, 10, 40, 200, 200])
  await grantCredits(operator, tenant, BigInt(holds) * holdOfRun + BigInt(random.below(3)))
  return tenant
}
