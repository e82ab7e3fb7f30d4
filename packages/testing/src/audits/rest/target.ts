/** What the REST audits need from a service: an address, keys in certain states, programs. */
import { type DataProxyInput, defaultGasLimits, defaultTariff, type NewProject } from "@sibyl/core"
import { readApiKey, worstPriceOf } from "@sibyl/core/internal"
import { type AuditProgram, auditPrograms } from "../programs/auditPrograms.ts"

/** A service under audit. Optional members enable more audits. */
export interface Target {
  /** Without a trailing slash: `http://127.0.0.1:8080/oracle`. */
  readonly baseUrl: string
  /** Sends a request; defaults to the runtime's `fetch`. Lets the audits reach a service in this process. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Told what was sent and what came, one entry each, for reports; keys are not hidden. */
  readonly trace?: ((heard: string) => void) | undefined
  /** A key of a project that may run every program and has at least 100,000 credits. */
  readonly apiKey: string
  /** The ids of the kit's deployed programs. */
  readonly programs: Readonly<Record<AuditProgram, string>>
  /** A key of another project that may run every program and has credits. */
  readonly otherTenantKey?: string | undefined
  /** A key of a project without credits. */
  readonly keyWithoutCredits?: string | undefined
  /** A key of a project with credits whose usage limit covers no run. */
  readonly limitedKey?: string | undefined
  /** A key of a project with credits whose usage limit covers one run at a time, in a period of a day or longer. */
  readonly meteredKey?: string | undefined
  /** A key of a project with credits whose allow-list contains only `echo`. */
  readonly restrictedKey?: string | undefined
  /** A revoked key. */
  readonly revokedKey?: string | undefined
  /** A registered and active data proxy, its key compressed in lowercase. */
  readonly dataProxy?: { readonly publicKey: string; readonly name: string; readonly fee: string } | undefined
  /** A name that every project may use, for the kit's `echo`. */
  readonly programName?: string | undefined
  /** How long what runs may take to show or to end, where nothing else bounds it; by default ten seconds or more, by the audit. */
  readonly settlingMs?: number | undefined
  /** Whether the service has tickets (`POST /tickets`). */
  readonly hasTickets?: boolean | undefined
  /** Whether the service records runs that are asked for with `includeRecording`, and no others. */
  readonly hasRecordings?: boolean | undefined
  /** An origin whose pages may use the service; `https://foreign.example` must not be one. */
  readonly allowedOrigin?: string | undefined
  /** Whether only the service answers below the address, so that it has to answer unknown paths. */
  readonly standAlone?: boolean | undefined
}

/** Creates a target's programs, projects and keys. */
export interface Provisioner {
  /** Returns the program's id. */
  readonly deploy: (program: Uint8Array) => Promise<string>
  /** Gives a program a name for every project. */
  readonly nameProgram: (name: string, programId: string) => Promise<unknown>
  readonly createProject: (project: NewProject) => Promise<{ readonly projectId: string }>
  readonly issueKey: (projectId: string) => Promise<string>
  readonly revokeKey: (apiKeyId: string) => Promise<void>
  readonly grant: (projectId: string, credits: bigint) => Promise<unknown>
  readonly registerProxy: (proxy: DataProxyInput) => Promise<unknown>
}

/** The origin to allow where the kit starts the service. */
export const auditedOrigin = "https://listed.example"

const credits = 1_000_000n
const dayMs = 86_400_000
const monthMs = 31 * dayMs
/** What a run holds with the default tariff, gas limits and proxy budget: enough for one, and not for two. */
export const worstPrice = worstPriceOf(defaultTariff, defaultGasLimits, 0n).total

/** The data proxy that the kit registers. Its key is the generator point, whose secret is publicly known. */
export const auditedProxy = {
  publicKey: "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  name: "Audited prices",
  fee: "12"
} as const

/** The name that the kit gives its `echo`. */
export const auditedName = "v1.audited-echo.sibyl"

/** Deploys the kit's programs and makes every project and key that audits can use. */
export const provisionTarget = async (
  provisioner: Provisioner,
  server: Pick<Target, "baseUrl" | "fetch" | "standAlone" | "allowedOrigin">
): Promise<Target> => {
  const keyOf = async (project: Partial<NewProject>, granted: bigint): Promise<string> => {
    const { projectId } = await provisioner.createProject({ organizationSlug: "audits", ...project })
    if (granted > 0n) await provisioner.grant(projectId, granted)
    return provisioner.issueKey(projectId)
  }
  const deployed = Object.entries(auditPrograms).map(async ([name, program]) => [name, await provisioner.deploy(program)])
  const programs = Object.fromEntries(await Promise.all(deployed)) as Target["programs"]
  await provisioner.nameProgram(auditedName, programs.echo)
  const { fee, name, publicKey } = auditedProxy
  await provisioner.registerProxy({ publicKey, name, feeCredits: BigInt(fee), active: true })
  const revokedKey = await keyOf({}, credits)
  await provisioner.revokeKey(readApiKey(revokedKey)?.apiKeyId ?? "")
  return {
    ...server,
    programs,
    apiKey: await keyOf({}, credits),
    otherTenantKey: await keyOf({}, credits),
    keyWithoutCredits: await keyOf({}, 0n),
    limitedKey: await keyOf({ usageLimit: { periodMs: dayMs, credits: 1n } }, credits),
    meteredKey: await keyOf({ usageLimit: { periodMs: monthMs, credits: worstPrice } }, credits),
    restrictedKey: await keyOf({ allowedPrograms: [programs.echo] }, credits),
    revokedKey,
    dataProxy: auditedProxy,
    programName: auditedName,
    hasTickets: true,
    hasRecordings: true
  }
}
