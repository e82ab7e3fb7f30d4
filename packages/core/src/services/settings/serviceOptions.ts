/** The options of one service and their defaults. */
import { Context } from "effect"
import type { Limits } from "../../domain/settings/limits.ts"
import { isOrigin, originRule } from "../../domain/settings/origin.ts"
import { readConsensusFilter } from "../../domain/protocol/consensusFilter.ts"
import { protocolVersion } from "../../domain/protocol/dataRequestId.ts"
import type { Replication } from "../../domain/protocol/dataRequestOf.ts"
import type { NetworkIdentity } from "../../ports/network.ts"
import { brokenCount } from "../../domain/settings/brokenCount.ts"
import { checkNames } from "../../domain/settings/checkNames.ts"
import { checkedLimits } from "../../domain/settings/checkedLimits.ts"
import { InvalidOption } from "../../domain/settings/invalidOption.ts"

/** The names of the last payload field of a result (decision D2). */
export type PayloadField = "servicePayload" | "sedaPayload" | "both"

/** A request to show in the documentation. */
export interface ExampleRequest {
  /** 64 lowercase hex characters. */
  readonly execProgramId: string
  /** Any JSON value; the input is its compact text. */
  readonly execInputs?: unknown
}

/** The options of a service. Everything but the network has a default. */
export interface ServiceOptions {
  /** Given to the ports too, as `Network`. */
  readonly network: NetworkIdentity
  readonly serverVersion?: string
  readonly limits?: Partial<Limits>
  readonly payloadField?: PayloadField
  /** Whether debug information also stands beside `data` (decision D1). Default true. */
  readonly debugBeside?: boolean
  /** Whether answering a stored result over REST also runs the program again in the background, charged (decision D27). Default `never`. */
  readonly lastResultRefresh?: "never" | "background"
  /** `public-network` answers field by field as the public network does: `sedaPayload`, no copies beside `data`, background refresh. */
  readonly profile?: "specification" | "public-network"
  /**
   * How many executors run the execution phase, 1 to {@link maxReplicationFactor}; each has its part of the gas limit
   * (decision D24). Default 1.
   */
  readonly replicationFactor?: number
  /** How the executors' reveals are compared: filter bytes (docs/OPERATING.md). Default `00`, no filter. */
  readonly consensusFilter?: Uint8Array
  /** How long reports are kept; `null` for ever. Last results are always kept. Default 30 days. */
  readonly retentionMs?: number | null
  /**
   * How many reports of one project are kept; `null` for no limit. Last results are always kept. Default
   * 1,000,000, some 2.5 GB.
   */
  readonly reportsPerProject?: number | null
  /** Whether every run is recorded, so that it can be run again; else those whose request says so. Default false. */
  readonly keepRecordings?: boolean
  /**
   * Runs in flight, running or waiting; beyond this they are refused with 503. A project has at most as many as are still
   * free, and at most `limits.runsPerProject`. Default 1,000.
   */
  readonly maxRunsInFlight?: number
  /**
   * Origins whose pages may ask over REST, and over WebSocket with any ticket. What takes no key is open to every page. Default: none.
   */
  readonly allowedOrigins?: ReadonlyArray<string>
  /** Example requests for the documentation, which shows the first whose program is deployed. Default: none. */
  readonly exampleRequests?: ReadonlyArray<ExampleRequest>
}

/** The options with defaults filled in. */
export interface ResolvedOptions extends Required<Omit<ServiceOptions, "profile" | "limits">> {
  readonly limits: Limits
  readonly protocolVersion: string
  /** Whether debug information says what was prefetched and asked for; not in the profile `public-network`, whose answers have no such fields. */
  readonly showsHostCalls: boolean
}

const defaultRetentionMs = 30 * 86_400_000
const defaultReportsPerProject = 1_000_000

/** The most executors of one run. */
export const maxReplicationFactor = 20

const noFilter = Uint8Array.of(0)

const checkedReplication = ({ consensusFilter = noFilter, replicationFactor = 1 }: ServiceOptions): Replication => {
  const rule = brokenCount(replicationFactor, 1, maxReplicationFactor)
  if (rule !== undefined) throw new InvalidOption("replicationFactor", rule)
  const filter = readConsensusFilter(consensusFilter)
  if ("message" in filter) throw new InvalidOption("consensusFilter", filter.message)
  return { replicationFactor, consensusFilter }
}

const checkedOrigins = ({ allowedOrigins = [] }: ServiceOptions): ReadonlyArray<string> => {
  const wrong = allowedOrigins.find((origin) => !isOrigin(origin))
  if (wrong !== undefined) throw new InvalidOption("allowedOrigins", `each ${originRule}; got ${JSON.stringify(wrong)}`)
  return allowedOrigins
}

/** The names of the options. */
export const serviceNames: Readonly<Record<keyof ServiceOptions, true>> = {
  network: true,
  serverVersion: true,
  limits: true,
  payloadField: true,
  debugBeside: true,
  lastResultRefresh: true,
  profile: true,
  replicationFactor: true,
  consensusFilter: true,
  retentionMs: true,
  reportsPerProject: true,
  keepRecordings: true,
  maxRunsInFlight: true,
  allowedOrigins: true,
  exampleRequests: true
}

const networkNames: Readonly<Record<keyof NetworkIdentity, true>> = { name: true, chainId: true }

const choices: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  payloadField: ["servicePayload", "sedaPayload", "both"] satisfies ReadonlyArray<PayloadField>,
  lastResultRefresh: ["never", "background"] satisfies ReadonlyArray<ServiceOptions["lastResultRefresh"]>,
  profile: ["specification", "public-network"] satisfies ReadonlyArray<ServiceOptions["profile"]>
}

const flags: ReadonlyArray<keyof ServiceOptions> = ["debugBeside", "keepRecordings"]

/** Whole numbers; two of them may be `null`, which is no limit. */
const counts: Readonly<Record<string, { readonly most: number; readonly endless: boolean }>> = {
  retentionMs: { most: Number.MAX_SAFE_INTEGER, endless: true },
  reportsPerProject: { most: 1_000_000_000, endless: true },
  maxRunsInFlight: { most: 1_000_000, endless: false }
} satisfies Partial<Record<keyof ServiceOptions, unknown>>

const checkValues = (options: ServiceOptions): void => {
  for (const name of flags) {
    if (options[name] !== undefined && typeof options[name] !== "boolean") throw new InvalidOption(name, "must be true or false")
  }
  const given: Readonly<Record<string, unknown>> = { ...options }
  for (const [name, { endless, most }] of Object.entries(counts)) {
    const value = given[name]
    if (value === undefined || (value === null && endless)) continue
    const rule = brokenCount(value, 1, most)
    if (rule !== undefined) throw new InvalidOption(name, endless ? `${rule}, or null` : rule)
  }
}

/** What a compiler would refuse: not everybody has one, and options may come from JSON. */
const checkForm = (options: ServiceOptions): void => {
  checkNames(options, serviceNames)
  checkNames(options.network, networkNames, "network.")
  const { chainId, name }: Readonly<Record<string, unknown>> = { ...options.network }
  if (typeof name !== "string" || name === "") throw new InvalidOption("network.name", "must be a text")
  if (typeof chainId !== "string" || chainId === "") throw new InvalidOption("network.chainId", "must be a text")
  for (const [option, value] of Object.entries(options)) {
    const choice = choices[option]
    if (value === undefined || choice === undefined || choice.includes(value)) continue
    throw new InvalidOption(option, `must be one of ${choice.join(", ")}`)
  }
  for (const name of ["allowedOrigins", "exampleRequests"] as const) {
    if (options[name] !== undefined && !Array.isArray(options[name])) throw new InvalidOption(name, "must be a list")
  }
}

/** The options of the running service. */
export class Options extends Context.Tag("@sibyl/core/Options")<Options, ResolvedOptions>() {}

/** Resolves the options: the given ones, then the profile, then the defaults. Throws {@link InvalidOption}. */
export const resolveOptions = (options: ServiceOptions): ResolvedOptions => {
  checkForm(options)
  checkValues(options)
  const publicNetwork = options.profile === "public-network"
  return {
    network: options.network,
    serverVersion: options.serverVersion ?? "0.1.0",
    limits: checkedLimits(options.limits),
    payloadField: options.payloadField ?? (publicNetwork ? "sedaPayload" : "servicePayload"),
    debugBeside: options.debugBeside ?? !publicNetwork,
    lastResultRefresh: options.lastResultRefresh ?? (publicNetwork ? "background" : "never"),
    retentionMs: options.retentionMs === undefined ? defaultRetentionMs : options.retentionMs,
    reportsPerProject: options.reportsPerProject === undefined ? defaultReportsPerProject : options.reportsPerProject,
    keepRecordings: options.keepRecordings ?? false,
    maxRunsInFlight: options.maxRunsInFlight ?? 1_000,
    exampleRequests: options.exampleRequests ?? [],
    allowedOrigins: checkedOrigins(options),
    ...checkedReplication(options),
    protocolVersion,
    showsHostCalls: !publicNetwork
  }
}
