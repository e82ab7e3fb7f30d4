/** A cache of resolved names: kept for a while, resolved once at a time, with a limit per project. */
import { LRUCache } from "lru-cache"
import type { ResolvedName } from "./dnsResolve.ts"

/** Maximum cached names. */
const maxNames = 4_096

/** Maximum pending look-ups, in all and for one project. */
const maxPending = 1_024
const maxPendingOfProject = 32

/** Maximum pending look-ups for prefetched requests, in all; those of a project are counted apart from its others. */
const maxPendingAhead = 256

/** How long an answer is kept, in ms: its TTL within these bounds; a negative answer only briefly. */
const [shortestMs, longestMs, withoutAddressMs] = [1_000, 300_000, 2_000]

/** Too many names are being resolved. */
export class TooManyNames extends Error {}

interface Kept {
  readonly addresses: ReadonlyArray<string>
  readonly untilMs: number
}

/** A cache over a resolver. */
export class NameCache {
  private readonly kept = new LRUCache<string, Kept>({ max: maxNames })
  private readonly pending = new Map<string, Promise<ReadonlyArray<string>>>()
  private readonly pendingOf = new Map<string, number>()
  private pendingAhead = 0
  private readonly resolve: (hostname: string) => Promise<ResolvedName>
  private readonly nowMs: () => number

  constructor(resolve: (hostname: string) => Promise<ResolvedName>, nowMs: () => number = () => performance.now()) {
    this.resolve = resolve
    this.nowMs = nowMs
  }

  /** The addresses of a name, empty if it has none. Rejects with {@link TooManyNames} if the limit is reached. */
  async addresses(hostname: string, projectId: string, isAhead = false): Promise<ReadonlyArray<string>> {
    const kept = this.kept.get(hostname)
    if (kept !== undefined && this.nowMs() < kept.untilMs) return kept.addresses
    return this.pending.get(hostname) ?? this.ask(hostname, isAhead ? `${projectId} ahead` : projectId, isAhead ? 1 : 0)
  }

  private async ask(hostname: string, asker: string, ahead: 0 | 1): Promise<ReadonlyArray<string>> {
    const own = this.pendingOf.get(asker) ?? 0
    const isFull = this.pending.size >= maxPending || this.pendingAhead + ahead > maxPendingAhead
    if (own >= maxPendingOfProject || isFull) throw new TooManyNames()
    this.pendingOf.set(asker, own + 1)
    this.pendingAhead += ahead
    const asked = this.resolve(hostname).then(
      (found) => this.keep(hostname, found),
      () => this.keep(hostname, { addresses: [], ttlSeconds: 0 })
    )
    this.pending.set(hostname, asked)
    try {
      return await asked
    } finally {
      this.pending.delete(hostname)
      this.pendingAhead -= ahead
      const left = (this.pendingOf.get(asker) ?? 1) - 1
      if (left > 0) this.pendingOf.set(asker, left)
      else this.pendingOf.delete(asker)
    }
  }

  private keep(hostname: string, { addresses, ttlSeconds }: ResolvedName): ReadonlyArray<string> {
    const ms = addresses.length === 0 ? withoutAddressMs : Math.min(longestMs, Math.max(shortestMs, ttlSeconds * 1_000))
    this.kept.set(hostname, { addresses, untilMs: this.nowMs() + ms })
    return addresses
  }
}
