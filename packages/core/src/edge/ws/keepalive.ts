/** Whether a client is still there: a ping per interval; the connection ends if the previous ping was not answered (decision D41). */

/** What is known of a client's pongs. Times are milliseconds of the monotonic clock. */
export interface Keepalive {
  readonly pingedAtMs: number
  readonly answered: boolean
  /** The verdict on this ping was put off once. */
  readonly isPutOff: boolean
}

/** The state of a connection that has just opened. */
export const freshKeepalive = (nowMs: number): Keepalive => ({ pingedAtMs: nowMs, answered: true, isPutOff: false })

/** A pong arrived. Nothing else counts: only a pong proves that the client reads. */
export const withPong = (state: Keepalive): Keepalive => ({ ...state, answered: true })

/** What to do now. */
export type KeepaliveStep =
  | { readonly kind: "wait" }
  | { readonly kind: "ping" | "putOff"; readonly next: Keepalive }
  | { readonly kind: "dead" }

/** The step at `nowMs`, when the last look was `sinceLookMs` ago. */
export const keepaliveStep = (state: Keepalive, nowMs: number, intervalMs: number, sinceLookMs: number): KeepaliveStep => {
  if (nowMs - state.pingedAtMs < intervalMs) return { kind: "wait" }
  if (state.answered) return { kind: "ping", next: { pingedAtMs: nowMs, answered: false, isPutOff: false } }
  // The service stood still for most of the client's time: a pong may have arrived that is read only after this look. Once per ping, so
  // that a service whose looks are always late still ends dead connections.
  if (sinceLookMs > intervalMs / 2 && !state.isPutOff) return { kind: "putOff", next: { ...state, isPutOff: true } }
  return { kind: "dead" }
}
