/** The attempts of an executor: which it has, what it has said in each, and which are wanted still. No clock in here. */
import type { Body } from "../contract/replies.ts"

/** An attempt that no edge has asked for during so long, in ms, is given up: its edge is gone, or has forgotten it. */
export const unwantedMs = 5_000

/** How long what an ended attempt has said is kept for an edge that has not heard it, in ms; and of how many. */
const [endedMs, mostEnded] = [10_000, 2_000]

/** What was said less long ago than this, in ms, may be on its way still. */
const underWayMs = 100

interface Said {
  readonly body: Body
  readonly atMs: number
}

interface Attempt {
  readonly said: Array<Said>
  wantedMs: number
  endedAtMs: number | undefined
}

/** One message of an attempt, with its number. */
export interface Numbered {
  readonly attempt: string
  readonly n: number
  readonly body: Body
}

/** The attempts of one executor. */
export class AttemptBook {
  private readonly places: number
  private readonly attempts = new Map<string, Attempt>()
  private running = 0
  private ended = 0

  /** `places`: runs that it has at once. */
  constructor(places: number) {
    this.places = places
  }

  /** Runs that it takes still. */
  get free(): number {
    return Math.max(0, this.places - this.running)
  }

  /** Runs that it has. */
  get count(): number {
    return this.running
  }

  /** A task has come. */
  offer(attempt: string, nowMs: number): "accepted" | "full" | "known" {
    if (this.attempts.has(attempt)) return "known"
    if (this.running >= this.places) return "full"
    this.attempts.set(attempt, { said: [], wantedMs: nowMs, endedAtMs: undefined })
    this.running += 1
    return "accepted"
  }

  /** The number of what is said next in an attempt; undefined if it is forgotten. */
  next(attempt: string): number | undefined {
    return this.attempts.get(attempt)?.said.length
  }

  /** Notes what is said in an attempt; answers its number, or undefined if the attempt is forgotten. */
  say(attempt: string, body: Body, nowMs: number): number | undefined {
    const one = this.attempts.get(attempt)
    if (one === undefined) return undefined
    one.said.push({ body, atMs: nowMs })
    return one.said.length - 1
  }

  /** The run of an attempt has ended; what it has said stays until its edge has heard it. */
  end(attempt: string, nowMs: number): void {
    const one = this.attempts.get(attempt)
    if (one === undefined || one.endedAtMs !== undefined) return
    one.endedAtMs = nowMs
    this.running -= 1
    this.ended += 1
    if (this.ended > mostEnded) this.forgetEnded(nowMs, 0)
  }

  /** Its edge has sent something for it. */
  wanted(attempt: string, nowMs: number): void {
    const one = this.attempts.get(attempt)
    if (one !== undefined) one.wantedMs = nowMs
  }

  /** An edge tells what it waits for: what it does not have is said again, unless it may be on its way. */
  probed(
    waited: ReadonlyArray<readonly [attempt: string, next: number]>,
    nowMs: number
  ): { readonly unknown: ReadonlyArray<string>; readonly again: ReadonlyArray<Numbered> } {
    const unknown: Array<string> = []
    const again: Array<Numbered> = []
    for (const [attempt, next] of waited) {
      const one = this.attempts.get(attempt)
      if (one === undefined) unknown.push(attempt)
      else {
        one.wantedMs = nowMs
        const first = one.said[next]
        if (first === undefined || nowMs - first.atMs < underWayMs) continue
        one.said.slice(next).forEach(({ body }, at) => again.push({ attempt, n: next + at, body }))
      }
    }
    return { unknown, again }
  }

  /** Nothing is known of it any more. */
  forget(attempt: string): void {
    const one = this.attempts.get(attempt)
    if (one === undefined) return
    this.attempts.delete(attempt)
    if (one.endedAtMs === undefined) this.running -= 1
    else this.ended -= 1
  }

  /** Those that run and nobody wants; time without a connection does not count. Old ones that have ended are forgotten. */
  look(nowMs: number, isConnected: boolean): ReadonlyArray<string> {
    if (!isConnected) {
      for (const one of this.attempts.values()) {
        one.wantedMs = nowMs
        if (one.endedAtMs !== undefined) one.endedAtMs = nowMs
      }
      return []
    }
    this.forgetEnded(nowMs, endedMs)
    return [...this.attempts]
      .filter(([, { endedAtMs, wantedMs }]) => endedAtMs === undefined && nowMs - wantedMs > unwantedMs)
      .map(([attempt]) => attempt)
  }

  /** Forgets those that ended longer ago than this; and the oldest of them, if there are too many. */
  private forgetEnded(nowMs: number, olderMs: number): void {
    for (const [attempt, { endedAtMs }] of this.attempts) {
      if (endedAtMs === undefined) continue
      const isOld = olderMs > 0 && nowMs - endedAtMs > olderMs
      if (isOld || this.ended > mostEnded) this.forget(attempt)
    }
  }
}
