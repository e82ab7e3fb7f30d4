/** Whether a client is still there: a ping every interval, and the end when the one before was not answered (decision D41). */

/** What is known of a client's answers. Times are milliseconds of one clock that never goes back. */
export interface Keepalive {
  readonly pingedAtMs: number
  readonly answered: boolean
}

/** The state of a connection that has just opened. */
export const freshKeepalive = (nowMs: number): Keepalive => ({ pingedAtMs: nowMs, answered: true })

/** A pong came in. Whatever else a client sends does not count: only a pong proves that it reads. */
export const withPong = (state: Keepalive): Keepalive => ({ ...state, answered: true })

/** What is to be done now. */
export type KeepaliveStep = { readonly kind: "wait" } | { readonly kind: "ping"; readonly next: Keepalive } | { readonly kind: "dead" }

/** The step at `nowMs`. */
export const keepaliveStep = (state: Keepalive, nowMs: number, intervalMs: number): KeepaliveStep => {
  if (nowMs - state.pingedAtMs < intervalMs) return { kind: "wait" }
  return state.answered ? { kind: "ping", next: { pingedAtMs: nowMs, answered: false } } : { kind: "dead" }
}
