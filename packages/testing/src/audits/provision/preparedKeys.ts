/** The keys, the name and the data proxy that audits can use, made with the means that there are. */
import { defaultGasLimits, defaultTariff } from "@sibyl/core"
import { worstPriceOf } from "@sibyl/core/internal"
import type { Target } from "../rest/target.ts"
import type { AuditedProject, Means } from "./means.ts"

/** What an audited project is granted, unless it is to have nothing. */
export const auditedCredits = 1_000_000n

const dayMs = 86_400_000

/** What a run holds with the default tariff, gas limits and proxy budget: enough for one, and not for two. */
const worstPrice = worstPriceOf(defaultTariff, defaultGasLimits, 0n).total

/** The generator point: a key whose secret is publicly known. */
const dataProxy = {
  publicKey: "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  name: "Audited prices",
  fee: "12"
} as const

const programName = "v1.audited-echo.sibyl"

/** What was made; absent without the means for it. */
export type PreparedKeys = Pick<
  Target,
  "otherTenantKey" | "keyWithoutCredits" | "limitedKey" | "meteredKey" | "restrictedKey" | "revokedKey" | "dataProxy" | "programName"
>

/** Makes them. `echo`: the id of the kit's program of that name, if it is deployed. */
export const preparedKeys = async (means: Means, echo: string | undefined): Promise<PreparedKeys> => {
  const { makeKey, nameProgram, registerProxy, revokeKey } = means
  const keyOf = async (project: Partial<AuditedProject> = {}): Promise<string | undefined> =>
    makeKey?.({ credits: auditedCredits, ...project })
  const revokedKey = revokeKey === undefined ? undefined : await keyOf()
  if (revokedKey !== undefined) await revokeKey?.(revokedKey)
  if (echo !== undefined) await nameProgram?.(programName, echo)
  const { fee, ...proxy } = dataProxy
  await registerProxy?.({ ...proxy, feeCredits: BigInt(fee), active: true })
  return {
    otherTenantKey: await keyOf(),
    keyWithoutCredits: await keyOf({ credits: 0n }),
    limitedKey: await keyOf({ usageLimit: { periodMs: dayMs, credits: 0n } }),
    meteredKey: await keyOf({ usageLimit: { periodMs: 31 * dayMs, credits: worstPrice } }),
    restrictedKey: echo === undefined ? undefined : await keyOf({ allowedPrograms: [echo] }),
    revokedKey,
    dataProxy: registerProxy === undefined ? undefined : dataProxy,
    programName: nameProgram === undefined || echo === undefined ? undefined : programName
  }
}
