/** Names that were resolved: kept for a while, asked for once at a time, and so many at once for each project. */
import { LRUCache } from "lru-cache"
import type { ResolvedName } from "./dnsResolve.ts"

/** Names that are kept. */
const maxNames = 4_096

/** Names that are being asked for at once, in all and for one project. */
const maxPending = 1_024
const maxPendingOfProject = 32

/** How long an answer holds, in ms: what the name servers say within these bounds; no address for a moment only. */
const [shortestMs, longestMs, withoutAddressMs] = [1_000, 300_000, 2_000]

/** Why a name is not asked for. */
export class TooManyNames extends Error {}

interface Kept {
  readonly addresses: ReadonlyArray<string>
  readonly untilMs: number
}

/** A cache over a way to resolve names. */
export class NameCache {
  private readonly kept = new LRUCache<string, Kept>({ max: maxNames })
  private readonly pending = new Map<string, Promise<ReadonlyArray<string>>>()
  private readonly pendingOf = new Map<string, number>()
  private readonly resolve: (hostname: string) => Promise<ResolvedName>
  private readonly nowMs: () => number

  constructor(resolve: (hostname: string) => Promise<ResolvedName>, nowMs: () => number = () => performance.now()) {
    this.resolve = resolve
    this.nowMs = nowMs
  }

  /** The addresses of a name, none when it has none. Rejects with {@link TooManyNames} where the bound is reached. */
  async addresses(hostname: string, projectId: string): Promise<ReadonlyArray<string>> {
    const kept = this.kept.get(hostname)
    if (kept !== undefined && this.nowMs() < kept.untilMs) return kept.addresses
    return this.pending.get(hostname) ?? this.ask(hostname, projectId)
  }

  private async ask(hostname: string, projectId: string): Promise<ReadonlyArray<string>> {
    const own = this.pendingOf.get(projectId) ?? 0
    if (own >= maxPendingOfProject || this.pending.size >= maxPending) throw new TooManyNames()
    this.pendingOf.set(projectId, own + 1)
    const asked = this.resolve(hostname).then(
      (found) => this.keep(hostname, found),
      () => this.keep(hostname, { addresses: [], ttlSeconds: 0 })
    )
    this.pending.set(hostname, asked)
    try {
      return await asked
    } finally {
      this.pending.delete(hostname)
      const left = (this.pendingOf.get(projectId) ?? 1) - 1
      if (left > 0) this.pendingOf.set(projectId, left)
      else this.pendingOf.delete(projectId)
    }
  }

  private keep(hostname: string, { addresses, ttlSeconds }: ResolvedName): ReadonlyArray<string> {
    const ms = addresses.length === 0 ? withoutAddressMs : Math.min(longestMs, Math.max(shortestMs, ttlSeconds * 1_000))
    this.kept.set(hostname, { addresses, untilMs: this.nowMs() + ms })
    return addresses
  }
}
