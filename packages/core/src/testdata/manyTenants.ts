/** One service with a tenant of every kind, for tests that call everything. */
import { Effect, Redacted } from "effect"
import type { NewProject } from "../ports/provisioning.ts"
import { fromUtf8 } from "../domain/encoding/bytes.ts"
import { outcome, type Script } from "./scriptedRuntime.ts"
import { openTestService, type OpenTestService } from "./testService.ts"

/** Keys by what is special about their projects; `none` is a text that is not a key. */
export interface TenantKeys {
  readonly rich: string
  readonly neighbour: string
  readonly broke: string
  readonly limited: string
  readonly restricted: string
  readonly revoked: string
  readonly none: string
}

/** The service, its keys, and a request that exceeds its limit. */
export interface ManyTenants extends OpenTestService {
  readonly tenants: TenantKeys
  readonly tooLargeBytes: number
}

/** Inputs that end a run in a certain way; any others let it succeed. */
export const endings = { fails: "0x00", breaks: "0xff" } as const

const script: Script = ({ args, isRecorded, phase }) => {
  if (args[0] === "ff") return Effect.die("a fault of ours")
  const fails = args[0] === "00" && phase === "exec"
  if (fails) return Effect.succeed(outcome({ exitCode: 4, stderr: "upstream timed out" }))
  return Effect.succeed(outcome({ result: fromUtf8('{"price":1.50}'), stdout: "a line\n", ...(isRecorded === true ? { tape: "{}" } : {}) }))
}

const requestBytes = 2_000

/** Short for a body that never arrives, and long for one that is there. */
const bodyMs = 1_000

/** Few, so that a test reaches it. */
const durableFeedsPerProject = 3
const ticketsPerProject = 40

/** Opens the service and makes its tenants. */
export const openManyTenants = async (): Promise<ManyTenants> => {
  const testService = await openTestService({
    script,
    credits: 10n ** 15n,
    options: { limits: { requestBytes, bodyMs, durableFeedsPerProject, ticketsPerProject } }
  })
  const keyOf = (project: Partial<NewProject>, credits: bigint): Promise<string> =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { projectId } = yield* testService.provisioning.createProject({ organizationSlug: "others", ...project })
        if (credits > 0n) yield* testService.provisioning.grant(projectId, credits)
        return Redacted.value((yield* testService.keys.issue(projectId)).key)
      })
    )
  const revoked = await keyOf({}, 10n ** 9n)
  await Effect.runPromise(testService.keys.revoke(revoked.split("_")[2]?.slice(0, 12) ?? ""))
  return {
    ...testService,
    tooLargeBytes: requestBytes + 1,
    tenants: {
      rich: testService.key,
      neighbour: await keyOf({}, 10n ** 15n),
      broke: await keyOf({}, 0n),
      limited: await keyOf({ usageLimit: { periodMs: 3_600_000, credits: 10n } }, 10n ** 9n),
      restricted: await keyOf({ allowedPrograms: [testService.tallyProgramId] }, 10n ** 9n),
      revoked,
      none: "nonsense"
    }
  }
}
