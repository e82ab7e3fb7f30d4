/** What an embedder or operator may choose about one service, and what holds where nothing was chosen. */
import { Context } from "effect"
import { defaultLimits, type Limits } from "../domain/limits.ts"
import { protocolVersion } from "../domain/dataRequestId.ts"

/** The names of the last payload field of a result (decision D2). */
export type PayloadField = "servicePayload" | "sedaPayload" | "both"

/** One service: one network. Everything but the network has a default. */
export interface ServiceOptions {
  /** Its name stands in `GET /info` and in the keys, its chain id is what programs see as `CHAIN_ID`. */
  readonly network: { readonly name: string; readonly chainId: string }
  readonly serverVersion?: string
  readonly limits?: Partial<Limits>
  readonly payloadField?: PayloadField
  /** Whether debug information also stands beside `data` (decision D1). Default true. */
  readonly debugBeside?: boolean
  /** Whether a cached answer also runs the program again, charged, in the background (decision D27). Default `never`. */
  readonly lastResultRefresh?: "never" | "background"
  /** `public-network` answers field by field as the public network does: `sedaPayload`, no copies beside `data`, background refresh. */
  readonly profile?: "specification" | "public-network"
  /** How long reports are kept; `null`: for ever. Last results are kept in any case. Default 30 days. */
  readonly retentionMs?: number | null
  /** Runs at once, running and waiting together; one more answers 503. Default 1,000. */
  readonly maxRunsInFlight?: number
}

/** The options with every gap filled. */
export interface ResolvedOptions extends Required<Omit<ServiceOptions, "profile" | "limits">> {
  readonly limits: Limits
  readonly protocolVersion: string
}

const defaultRetentionMs = 30 * 86_400_000

/** The options of the running service. */
export class Options extends Context.Tag("@sibyl/core/Options")<Options, ResolvedOptions>() {}

/** Fills the gaps: what was chosen, then the profile, then the defaults. */
export const resolveOptions = (options: ServiceOptions): ResolvedOptions => {
  const publicNetwork = options.profile === "public-network"
  return {
    network: options.network,
    serverVersion: options.serverVersion ?? "0.1.0",
    limits: { ...defaultLimits, ...options.limits },
    payloadField: options.payloadField ?? (publicNetwork ? "sedaPayload" : "servicePayload"),
    debugBeside: options.debugBeside ?? !publicNetwork,
    lastResultRefresh: options.lastResultRefresh ?? (publicNetwork ? "background" : "never"),
    retentionMs: options.retentionMs === undefined ? defaultRetentionMs : options.retentionMs,
    maxRunsInFlight: options.maxRunsInFlight ?? 1_000,
    protocolVersion
  }
}
