/** The target of the command: what was given, what an operator makes, and what can be found out by asking. */
import { programIdOf } from "@sibyl/core"
import { Lacking } from "../audits/lacking.ts"
import { type AuditProgram, auditPrograms } from "../audits/programs/auditPrograms.ts"
import { operatorWith } from "../audits/provision/operator.ts"
import { preparedKeys } from "../audits/provision/preparedKeys.ts"
import { at, begunWith, send } from "../audits/rest/call.ts"
import type { Feature } from "../audits/rest/endpoints.ts"
import type { Target } from "../audits/rest/target.ts"
import type { WsTarget } from "../audits/ws/wsTarget.ts"
import { remainingOf } from "./creditBudget.ts"
import { hiding } from "./hidden.ts"
import type { ConformOperator } from "./operatorFile.ts"

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

/** Tells by running it, with so little gas that it costs next to nothing; how the run ends does not matter. */
const isDeployed = async (target: Pick<Target, "baseUrl" | "apiKey">, programId: string): Promise<boolean> => {
  const json = { execProgramId: programId, execGasLimit: 10_000_000_000 }
  const { status, text } = await send(target as Target, { path: "/execute", json })
  if (status === 200 || status === 599) return true
  if (status === 404) return false
  throw new Error(`whether the kit's program ${programId} is deployed was answered ${status} ${begunWith(text)}`)
}

/** The ids of the kit's programs that are deployed, by name. */
const deployedOf = async (
  operator: ConformOperator,
  given: Readonly<Record<string, string>>,
  server: Pick<Target, "baseUrl" | "apiKey">
): Promise<Readonly<Record<string, string>>> => {
  const ids: Record<string, string> = {}
  for (const [name, program] of Object.entries(auditPrograms)) {
    const known = given[name] ?? operator.facts?.programs?.[name] ?? (await operator.deploy?.(program))
    const usual = programIdOf(program)
    const id = known ?? ((await isDeployed(server, usual)) ? usual : undefined)
    if (id !== undefined) ids[name] = id
  }
  return ids
}

/** The programs as audits take them: one that is not deployed is lacking. */
const programsFrom = (ids: Readonly<Record<string, string>>): Target["programs"] =>
  new Proxy(ids as Record<AuditProgram, string>, {
    get: (known, name: AuditProgram) => {
      if (Object.hasOwn(auditPrograms, name) && known[name] === undefined)
        throw new Lacking(`the kit's program "${name}" is not deployed (--write-programs, or deploy of --operator)`)
      return known[name]
    }
  })

/** What is beyond the protocol need not be there: without it, its paths are answered like any unknown one. */
const foundFeatures = async (target: Target, echo: string | undefined): Promise<Readonly<Record<Feature, boolean>>> => {
  const answerTo = async (path: string) => {
    const { json, status } = await send(target, { path })
    return { status, tag: at(json, "_tag") }
  }
  const unknown = await answerTo("/audited/unknown/path")
  const isKnown = async (path: string): Promise<boolean> => {
    const { status, tag } = await answerTo(path)
    return status !== unknown.status || tag !== unknown.tag
  }
  const ticket = await send(target, { method: "POST", path: "/tickets", json: { budgetCredits: "not a number" } })
  const recording = await answerTo(`/executions/${globalThis.crypto.randomUUID()}/recording`)
  return {
    hasTickets: ticket.status !== 404 && ticket.status !== 405,
    hasRecordings: recording.tag !== undefined && recording.tag !== unknown.tag,
    hasKeyList: await isKnown("/keys"),
    hasProgramRecords: await isKnown(`/programs/${echo ?? "0".repeat(64)}`),
    hasDurableFeeds: await isKnown("/feeds")
  }
}

const operatorFrom = (operator: ConformOperator): WsTarget["operator"] =>
  operator.makeKey === undefined ? undefined : operatorWith(operator.makeKey, operator)

/** A target, and what its project had before the kit asked for anything that costs credits. */
export interface PreparedTarget {
  readonly target: WsTarget
  readonly remainingCredits: bigint
}

const preparedWith = async (apiKey: string, addressed: Addressed, operator: ConformOperator): Promise<PreparedTarget> => {
  const { baseUrl, loadShare, wsUrl } = addressed
  const remainingCredits = await remainingOf({ baseUrl, apiKey })
  const ids = await deployedOf(operator, addressed.programs, { baseUrl, apiKey })
  const target: Target = { baseUrl, apiKey, programs: programsFrom(ids) }
  const { programs: _, ...facts } = operator.facts ?? {}
  const found = await foundFeatures(target, ids["echo"])
  const prepared = await preparedKeys(operator, ids["echo"])
  return { target: { ...target, ...found, ...prepared, ...facts, wsUrl, loadShare, operator: operatorFrom(operator) }, remainingCredits }
}

/** Makes the target. Rejects if the service does not answer, refuses the key, or the operator fails; the key is in no message. */
export const makeConformTarget = async (addressed: Addressed, operator: ConformOperator): Promise<PreparedTarget> => {
  const apiKey = addressed.apiKey ?? (await operator.makeKey?.({ credits: addressed.maxCredits }))
  if (apiKey === undefined) throw new Error("--api-key is missing, and --operator has no makeKey")
  return preparedWith(apiKey, addressed, operator).catch((cause: unknown) => {
    if (cause instanceof Error) cause.message = hiding([apiKey])(cause.message)
    throw cause
  })
}
