/** Whether a client is still there: a ping per interval; the connection ends if the previous ping was not answered (decision D41). */

/** What is known of a client's pongs. Times are milliseconds of the monotonic clock. */
export interface Keepalive {
  readonly pingedAtMs: number
  readonly answered: boolean
}

/** The state of a connection that has just opened. */
export const freshKeepalive = (nowMs: number): Keepalive => ({ pingedAtMs: nowMs, answered: true })

/** A pong arrived. Nothing else counts: only a pong proves that the client reads. */
export const withPong = (state: Keepalive): Keepalive => ({ ...state, answered: true })

/** What to do now. */
export type KeepaliveStep = { readonly kind: "wait" } | { readonly kind: "ping"; readonly next: Keepalive } | { readonly kind: "dead" }

/** The step at `nowMs`. */
export const keepaliveStep = (state: Keepalive, nowMs: number, intervalMs: number): KeepaliveStep => {
  if (nowMs - state.pingedAtMs < intervalMs) return { kind: "wait" }
  return state.answered ? { kind: "ping", next: { pingedAtMs: nowMs, answered: false } } : { kind: "dead" }
}
