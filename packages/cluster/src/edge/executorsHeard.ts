/** Whether the executors of a net are heard, and when that changes. No clock in here. */

/** Without any executor for so long, in ms, it is worth a word: at the start of a cluster, and after NATS was away, they come a little later. */
export const quietMs = 2_000

/** Tells each change once. */
export class ExecutorsHeard {
  private quietSinceMs: number | undefined
  private isQuiet = false

  /** What has changed, of so many executors that live now. */
  look(count: number, isConnected: boolean, nowMs: number): "quiet" | "heard" | undefined {
    if (count > 0) {
      this.quietSinceMs = undefined
      if (!this.isQuiet) return undefined
      this.isQuiet = false
      return "heard"
    }
    // Without NATS nobody can be heard, which its connection tells.
    if (!isConnected) {
      this.quietSinceMs = undefined
      return undefined
    }
    this.quietSinceMs ??= nowMs
    if (this.isQuiet || nowMs - this.quietSinceMs < quietMs) return undefined
    this.isQuiet = true
    return "quiet"
  }
}
