/** Which of the executors that have runs of an edge still live. No clock in here. */

/** How often they are probed, in ms. */
export const probeMs = 200

/** Without a sign of life for so long, in ms, an executor counts as dead: four probes. */
export const deadMs = 800

/**
 * The signs of life of executors. Time does not count while we have no connection ourselves, nor while this process has slept: then
 * their signs may lie unread. After a reconnect, executors have as long as before to come back, too.
 */
export class Liveness {
  private readonly heardMs = new Map<string, number>()
  private lastLookMs: number | undefined
  private graceUntilMs = 0
  private wasConnected = true

  /** An executor begins to have a run of ours. */
  watch(id: string, nowMs: number): void {
    if (!this.heardMs.has(id)) this.heardMs.set(id, nowMs)
  }

  /** All others have none any more. */
  keepOnly(ids: { readonly has: (id: string) => boolean }): void {
    for (const id of this.heardMs.keys()) if (!ids.has(id)) this.heardMs.delete(id)
  }

  /** It has none any more. */
  forget(id: string): void {
    this.heardMs.delete(id)
  }

  /** It has sent something. */
  heard(id: string, nowMs: number): void {
    if (this.heardMs.has(id)) this.heardMs.set(id, nowMs)
  }

  /** Whether a probe that nobody listens for tells of a death: not while everyone is coming back. */
  believesNobody(nowMs: number): boolean {
    return this.wasConnected && nowMs >= this.graceUntilMs
  }

  /** Those that are dead now. To be asked every {@link probeMs}; they are forgotten with the answer. */
  look(nowMs: number, isConnected: boolean): ReadonlyArray<string> {
    const sleptMs = this.lastLookMs === undefined ? 0 : Math.max(0, nowMs - this.lastLookMs - 2 * probeMs)
    this.lastLookMs = nowMs
    if (isConnected && !this.wasConnected) this.graceUntilMs = nowMs + deadMs
    this.wasConnected = isConnected
    if (!isConnected || nowMs < this.graceUntilMs) {
      for (const id of this.heardMs.keys()) this.heardMs.set(id, nowMs)
      return []
    }
    if (sleptMs > 0) for (const [id, heardMs] of this.heardMs) this.heardMs.set(id, heardMs + sleptMs)
    const dead = [...this.heardMs].filter(([, heardMs]) => nowMs - heardMs > deadMs).map(([id]) => id)
    for (const id of dead) this.heardMs.delete(id)
    return dead
  }
}
