/** The operator's file of the command: a module with what an operator of the service can do, or JSON with what was prepared by hand. */
import { readFile, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { auditPrograms } from "../audits/programs/auditPrograms.ts"
import type { DrainableMeans } from "../audits/provision/operator.ts"
import type { WsTarget } from "../audits/ws/wsTarget.ts"
import { longestPingIntervalMs } from "./options.ts"

/** The facts that are true or false. */
const answeredFacts = ["hasTickets", "hasRecordings", "hasKeyList", "hasProgramRecords", "hasDurableFeeds", "standAlone"] as const

/** The facts that are a text. */
const textFacts = [
  "otherTenantKey",
  "keyWithoutCredits",
  "limitedKey",
  "meteredKey",
  "restrictedKey",
  "revokedKey",
  "programName",
  "allowedOrigin"
] as const

const givenFacts = [...textFacts, "dataProxy", "pingIntervalMs"] as const

/** What was prepared by hand, and what the service is like. */
export type TargetFacts = Partial<Pick<WsTarget, (typeof answeredFacts)[number] | (typeof givenFacts)[number]>> & {
  /** The ids of the kit's programs, by name. */
  readonly programs?: Readonly<Record<string, string>>
}

/** The default export of an operator's file. Each member is optional; audits that need an absent one are skipped. */
export interface ConformOperator extends DrainableMeans {
  /** Called when the audits are done. */
  readonly close?: () => Promise<unknown>
  readonly facts?: TargetFacts
}

const methods = ["deploy", "nameProgram", "makeKey", "revokeKey", "registerProxy", "drain", "close"] as const

const ofProxy = ["publicKey", "name", "fee"]

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""
const membersOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value) as Readonly<Record<string, unknown>>

const programsFault = (programs: unknown): string | undefined => {
  if (typeof programs !== "object" || programs === null) return "programs must be an object of ids by name"
  const names = Object.keys(auditPrograms)
  const wrong = Object.entries(programs).find(([name, id]) => !names.includes(name) || !/^[0-9a-f]{64}$/i.test(String(id)))
  return wrong && `programs has ${wrong[0]}: only ${names.join(", ")}, each an id of 64 hex characters`
}

const valueFault = (facts: Readonly<Record<string, unknown>>): string | undefined => {
  const { dataProxy, pingIntervalMs, programs } = facts
  const unclear = answeredFacts.find((name) => facts[name] !== undefined && typeof facts[name] !== "boolean")
  if (unclear !== undefined) return `${unclear} must be true or false`
  const noText = textFacts.find((name) => facts[name] !== undefined && !isText(facts[name]))
  if (noText !== undefined) return `${noText} must be a text`
  if (
    pingIntervalMs !== undefined &&
    !(typeof pingIntervalMs === "number" && pingIntervalMs >= 100 && pingIntervalMs <= longestPingIntervalMs)
  )
    return `pingIntervalMs must be a number from 100 to ${longestPingIntervalMs}`
  if (dataProxy !== undefined && !ofProxy.every((name) => isText(membersOf(dataProxy)[name])))
    return `dataProxy must have ${ofProxy.join(", ")}, each a text`
  return programs === undefined ? undefined : programsFault(programs)
}

/** A misspelled fact would be of no effect. */
const factFault = (facts: Readonly<Record<string, unknown>>): string | undefined => {
  const known: ReadonlyArray<string> = [...answeredFacts, ...givenFacts, "programs"]
  const unknown = Object.keys(facts).find((name) => !known.includes(name))
  if (unknown !== undefined) return `has no use for the fact ${unknown}: only ${known.join(", ")}`
  return valueFault(facts)
}

const faultOf = (operator: unknown): string | undefined => {
  if (typeof operator !== "object" || operator === null) return "must have an object as its default export"
  const members = operator as Readonly<Record<string, unknown>>
  const unknown = Object.keys(members).find((name) => name !== "facts" && !(methods as ReadonlyArray<string>).includes(name))
  if (unknown !== undefined) return `has no use for ${unknown}: only ${methods.join(", ")} and facts`
  const useless = methods.find((name) => members[name] !== undefined && typeof members[name] !== "function")
  if (useless !== undefined) return `${useless} must be a function`
  const { facts } = members
  if (facts === undefined) return undefined
  return typeof facts === "object" && facts !== null ? factFault(facts as Readonly<Record<string, unknown>>) : "facts must be an object"
}

/** Reads a JSON file as `facts`, or imports a module. Rejects with a message for people if it is neither. */
export const readOperatorFile = async (file: string): Promise<ConformOperator> => {
  const path = resolve(file)
  // Looked at first: what an import says of a missing file is also said of what it imports.
  if ((await stat(path)).isDirectory()) throw new Error("it is a folder")
  const operator: unknown = path.endsWith(".json")
    ? { facts: JSON.parse(await readFile(path, "utf8")) }
    : ((await import(pathToFileURL(path).href)) as { readonly default?: unknown }).default
  const fault = faultOf(operator)
  if (fault !== undefined) throw new Error(fault)
  return operator as ConformOperator
}
