/** The operator's file of the command: a module with what an operator of the service can do, or JSON with what was prepared by hand. */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { DataProxyInput } from "@sibyl/core"
import type { WsTarget } from "../audits/ws/wsTarget.ts"

/** What a new project of an audit is like. */
export interface AuditedProject {
  /** What it is granted. */
  readonly credits: bigint
  /** The only programs that it may run; by default every one. */
  readonly allowedPrograms?: ReadonlyArray<string>
  /** The credits that it may spend in a period; 0 covers no run. */
  readonly usageLimit?: { readonly periodMs: number; readonly credits: bigint }
  /** When the key ends. */
  readonly expiresAtMs?: number
}

/** What was prepared by hand, and what the service is like. */
export type TargetFacts = Partial<
  Pick<
    WsTarget,
    | "otherTenantKey"
    | "keyWithoutCredits"
    | "limitedKey"
    | "meteredKey"
    | "restrictedKey"
    | "revokedKey"
    | "dataProxy"
    | "programName"
    | "hasTickets"
    | "hasRecordings"
    | "allowedOrigin"
    | "standAlone"
    | "pingIntervalMs"
  >
> & {
  /** The ids of the kit's programs, by name. */
  readonly programs?: Readonly<Record<string, string>>
}

/** The default export of an operator's file. Each member is optional; audits that need an absent one are skipped. */
export interface ConformOperator {
  /** Deploys a module for every project and returns its id. */
  readonly deploy?: (program: Uint8Array) => Promise<string>
  /** Gives a program a name for every project. */
  readonly nameProgram?: (name: string, programId: string) => Promise<unknown>
  /** Makes a project and returns a key of it. */
  readonly makeKey?: (project: AuditedProject) => Promise<string>
  readonly revokeKey?: (apiKey: string) => Promise<unknown>
  readonly registerProxy?: (proxy: DataProxyInput) => Promise<unknown>
  /** Shuts the service down, while its server goes on and refuses requests with 503. */
  readonly drain?: () => Promise<void>
  /** Called when the audits are done. */
  readonly close?: () => Promise<unknown>
  readonly facts?: TargetFacts
}

const methods = ["deploy", "nameProgram", "makeKey", "revokeKey", "registerProxy", "drain", "close"] as const

const faultOf = (operator: unknown): string | undefined => {
  if (typeof operator !== "object" || operator === null) return "must have an object as its default export"
  const members = operator as Readonly<Record<string, unknown>>
  const unknown = Object.keys(members).find((name) => name !== "facts" && !(methods as ReadonlyArray<string>).includes(name))
  if (unknown !== undefined) return `has no use for ${unknown}: only ${methods.join(", ")} and facts`
  const useless = methods.find((name) => members[name] !== undefined && typeof members[name] !== "function")
  if (useless !== undefined) return `${useless} must be a function`
  const { facts } = members
  return facts === undefined || (typeof facts === "object" && facts !== null) ? undefined : "facts must be an object"
}

/** Reads a JSON file as `facts`, or imports a module. Rejects with a message for people if it is neither. */
export const readOperatorFile = async (file: string): Promise<ConformOperator> => {
  const path = resolve(file)
  const operator: unknown = path.endsWith(".json")
    ? { facts: JSON.parse(await readFile(path, "utf8")) }
    : ((await import(pathToFileURL(path).href)) as { readonly default?: unknown }).default
  const fault = faultOf(operator)
  if (fault !== undefined) throw new Error(fault)
  return operator as ConformOperator
}
