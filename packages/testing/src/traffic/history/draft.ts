/** A history while it is written: moments in order, and things that get their ends later. */
import type { Frame, Grant, History, KeyHistory, Moment, RestCall, SocketHistory, Span } from "./history.ts"

/** An object of the history, open to change until the sequence has ended. */
export type Open<Value> = { -readonly [Member in keyof Value]: Value[Member] }

/** A socket, open to change. */
export type OpenSocketHistory = Open<Omit<SocketHistory, "sent" | "heard">> & { readonly sent: Array<Frame>; readonly heard: Array<Frame> }

/** The history of a sequence under way. */
export class HistoryDraft {
  readonly #nowMs: () => number
  #order = 0
  readonly keys: Array<Open<KeyHistory>> = []
  readonly grants: Array<Grant> = []
  readonly calls: Array<Open<RestCall>> = []
  readonly sockets: Array<OpenSocketHistory> = []
  readonly crashes: Array<Open<Span>> = []
  readonly outages: Array<Open<Span>> = []
  rested: Moment | undefined
  settled: Moment | undefined

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Now, after everything so far. */
  moment(): Moment {
    this.#order += 1
    return { order: this.#order, atMs: this.#nowMs() }
  }

  /** Everything so far. */
  read(facts: Pick<History, "programs" | "toleranceMs" | "feedOverlap">): History {
    const { calls, crashes, grants, keys, outages, rested, settled, sockets } = this
    return { calls, crashes, grants, keys, outages, rested, settled, sockets, ...facts }
  }
}
