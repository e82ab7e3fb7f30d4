/** The target of the command: what was given, what an operator makes, and what can be found out by asking. */
import { programIdOf } from "@sibyl/core"
import { Lacking } from "../audits/lacking.ts"
import { type AuditProgram, auditPrograms } from "../audits/programs/auditPrograms.ts"
import { at, send } from "../audits/rest/call.ts"
import { auditedName, auditedProxy, type Target, worstPrice } from "../audits/rest/target.ts"
import type { Operator, WsTarget } from "../audits/ws/wsTarget.ts"
import { remainingOf } from "./creditBudget.ts"
import type { AuditedProject, ConformOperator } from "./operatorFile.ts"

/** Where the service is and what is known of it. */
export interface Addressed {
  readonly baseUrl: string
  readonly wsUrl?: string | undefined
  readonly apiKey?: string | undefined
  /** Ids by program name, as given on the command line. */
  readonly programs: Readonly<Record<string, string>>
  /** What the project that the kit makes for itself is granted. */
  readonly maxCredits: bigint
  readonly loadShare: number
}

const credits = 1_000_000n
const dayMs = 86_400_000

/** Tells by running it, with so little gas that it costs next to nothing; how the run ends does not matter. */
const isDeployed = async (target: Pick<Target, "baseUrl" | "apiKey">, programId: string): Promise<boolean> => {
  const json = { execProgramId: programId, execGasLimit: 10_000_000_000 }
  const { status, text } = await send(target as Target, { path: "/execute", json })
  if (status === 200 || status === 599) return true
  if (status === 404) return false
  throw new Error(`whether the kit's program ${programId} is deployed was answered ${status} ${text.slice(0, 200)}`)
}

const programsOf = async (
  operator: ConformOperator,
  given: Readonly<Record<string, string>>,
  server: Pick<Target, "baseUrl" | "apiKey">
): Promise<Target["programs"]> => {
  const programs: Record<string, string> = {}
  for (const [name, program] of Object.entries(auditPrograms)) {
    const known = given[name] ?? operator.facts?.programs?.[name] ?? (await operator.deploy?.(program))
    const id = known ?? ((await isDeployed(server, programIdOf(program))) ? programIdOf(program) : undefined)
    if (id !== undefined) programs[name] = id
    else
      Object.defineProperty(programs, name, {
        enumerable: true,
        get: () => {
          throw new Lacking(`the kit's program "${name}" is not deployed (--write-programs, or deploy of --operator)`)
        }
      })
  }
  return programs as Record<AuditProgram, string>
}

/** Tickets and recordings are beyond the protocol: without them, their paths are answered like any unknown one. */
const foundFeatures = async (target: Target): Promise<Pick<Target, "hasTickets" | "hasRecordings">> => {
  const tagOf = async (method: string, path: string): Promise<unknown> => at((await send(target, { method, path })).json, "_tag")
  const unknownPath = await tagOf("GET", "/audited/unknown/path")
  const ticket = await send(target, { method: "POST", path: "/tickets", json: { budgetCredits: "not a number" } })
  const recording = await tagOf("GET", `/executions/${globalThis.crypto.randomUUID()}/recording`)
  return {
    hasTickets: ticket.status !== 404 && ticket.status !== 405,
    hasRecordings: recording !== undefined && recording !== unknownPath
  }
}

const operatorOf = ({ drain, makeKey, revokeKey }: ConformOperator): Operator | undefined =>
  makeKey === undefined
    ? undefined
    : {
        freshKey: (validForMs) => makeKey({ credits, ...(validForMs === undefined ? {} : { expiresAtMs: Date.now() + validForMs }) }),
        revoke: async (apiKey) => {
          if (revokeKey === undefined) throw new Lacking("revoking needs revokeKey of --operator")
          await revokeKey(apiKey)
        },
        drain
      }

type PreparedKeys = Pick<
  Target,
  "otherTenantKey" | "keyWithoutCredits" | "limitedKey" | "meteredKey" | "restrictedKey" | "revokedKey" | "dataProxy" | "programName"
>

const preparedBy = async (operator: ConformOperator, programs: Target["programs"]): Promise<PreparedKeys> => {
  const { makeKey, nameProgram, registerProxy, revokeKey } = operator
  const key = async (project: Partial<AuditedProject>): Promise<string | undefined> => makeKey?.({ credits, ...project })
  const echo = ((): string | undefined => {
    try {
      return programs.echo
    } catch {
      return undefined
    }
  })()
  const ended = revokeKey === undefined ? undefined : await key({})
  if (ended !== undefined) await revokeKey?.(ended)
  if (echo !== undefined) await nameProgram?.(auditedName, echo)
  const { fee, ...proxy } = auditedProxy
  await registerProxy?.({ ...proxy, feeCredits: BigInt(fee), active: true })
  return {
    otherTenantKey: await key({}),
    keyWithoutCredits: await key({ credits: 0n }),
    limitedKey: await key({ usageLimit: { periodMs: dayMs, credits: 0n } }),
    meteredKey: await key({ usageLimit: { periodMs: 31 * dayMs, credits: worstPrice } }),
    restrictedKey: echo === undefined ? undefined : await key({ allowedPrograms: [echo] }),
    revokedKey: ended,
    dataProxy: registerProxy === undefined ? undefined : auditedProxy,
    programName: nameProgram === undefined || echo === undefined ? undefined : auditedName
  }
}

/** A target, and what its project had before the kit asked for anything that costs credits. */
export interface PreparedTarget {
  readonly target: WsTarget
  readonly remainingCredits: bigint
}

/** Makes the target. Rejects if the service does not answer, refuses the key, or the operator fails. */
export const makeConformTarget = async (addressed: Addressed, operator: ConformOperator): Promise<PreparedTarget> => {
  const { baseUrl, loadShare, maxCredits, wsUrl } = addressed
  const apiKey = addressed.apiKey ?? (await operator.makeKey?.({ credits: maxCredits }))
  if (apiKey === undefined) throw new Error("--api-key is missing, and --operator has no makeKey")
  const remainingCredits = await remainingOf({ baseUrl, apiKey })
  const programs = await programsOf(operator, addressed.programs, { baseUrl, apiKey })
  const target: Target = { baseUrl, apiKey, programs }
  const { programs: _, ...facts } = operator.facts ?? {}
  const found = await foundFeatures(target)
  const prepared = await preparedBy(operator, programs)
  return { target: { ...target, ...found, ...prepared, ...facts, wsUrl, loadShare, operator: operatorOf(operator) }, remainingCredits }
}
