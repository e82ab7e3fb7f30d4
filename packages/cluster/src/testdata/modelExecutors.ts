/** Executors and a network in model time, with every fault that a test draws: for the decisions of an edge, without NATS. */
import type { RunOutcome } from "@sibyl/core"
import type { PhaseSpending, Tape, TapeEntry } from "@sibyl/vm/internal"
import type { Body, Reply } from "../contract/replies.ts"
import { AttemptBook } from "../executor/attemptBook.ts"

/** How one executor behaves. Times are in ms. */
export interface ModelExecutor {
  readonly id: string
  readonly places: number
  readonly engine: string
  /** Between two entries of a tape. */
  readonly entryMs: number
  /** It does nothing and hears nothing between these times; what is sent to it is there when it thaws. */
  readonly frozen?: readonly [fromMs: number, untilMs: number]
  readonly diesMs?: number
}

/** What is in the way of messages. */
export interface ModelNetwork {
  readonly delayMs: number
  /** Between these times, everything is lost. */
  readonly downMs?: readonly [fromMs: number, untilMs: number]
}

const spent: PhaseSpending = { wallClockLeftMs: 1, httpLeftMs: 1, workerMs: 0, gasUsed: 0n, storedBefore: new Map() }

/** The entry at this place: the same, whoever makes it. */
export const entryAt = (at: number): TapeEntry => ({
  kind: "storage",
  operation: "read",
  action: Uint8Array.of(at),
  atMs: 0,
  answer: { fulfilled: true, bytes: new Uint8Array() }
})

/** The outcome of a run: its gas is the length of its tape. */
export const outcomeOf = (length: number): RunOutcome => ({
  exec: {
    exitCode: 0,
    exitMessage: "Ok",
    gasUsed: BigInt(length),
    gasCharged: BigInt(length),
    result: new Uint8Array(),
    stdout: "",
    stderr: "",
    proxies: []
  }
})

interface Planned {
  readonly atMs: number
  readonly act: () => void
}

/** The world of a test: what is planned happens in the order of its time. */
export class ModelWorld {
  nowMs = 0
  private readonly planned: Array<Planned> = []
  readonly network: ModelNetwork

  constructor(network: ModelNetwork) {
    this.network = network
  }

  /** Something that happens later. */
  plan(inMs: number, act: () => void): void {
    this.planned.push({ atMs: this.nowMs + inMs, act })
  }

  /** A message on its way, if the network is up when it is sent and when it arrives. */
  send(act: () => void): void {
    const { delayMs } = this.network
    if (this.isDown(this.nowMs) || this.isDown(this.nowMs + delayMs)) return
    this.plan(delayMs, act)
  }

  /** Whether nothing passes at this time. */
  isDown(atMs: number): boolean {
    const [from, until] = this.network.downMs ?? [Number.POSITIVE_INFINITY, 0]
    return atMs >= from && atMs < until
  }

  /** Lets everything happen that is planned until then. */
  runUntil(endMs: number, isOver: () => boolean): void {
    while (this.planned.length > 0 && !isOver()) {
      this.planned.sort((one, two) => one.atMs - two.atMs)
      const next = this.planned.shift()
      if (next === undefined || next.atMs > endMs) return
      this.nowMs = Math.max(this.nowMs, next.atMs)
      next.act()
    }
  }
}

/** An executor at work: it has the real book, and makes an entry from time to time. */
export class ModelAtWork {
  readonly book: AttemptBook
  readonly plan: ModelExecutor
  private readonly world: ModelWorld
  private readonly length: number
  private readonly toEdge: (attempt: string, reply: Reply) => void

  constructor(plan: ModelExecutor, world: ModelWorld, length: number, toEdge: (attempt: string, reply: Reply) => void) {
    this.plan = plan
    this.world = world
    this.length = length
    this.toEdge = toEdge
    this.book = new AttemptBook(plan.places)
  }

  /** Whether it lives. A frozen one does. */
  get lives(): boolean {
    return this.world.nowMs < (this.plan.diesMs ?? Number.POSITIVE_INFINITY)
  }

  /** Does something when it is awake; never, if it is dead by then. */
  awake(act: () => void): void {
    const [from, until] = this.plan.frozen ?? [Number.POSITIVE_INFINITY, 0]
    const { nowMs } = this.world
    if (!this.lives) return
    if (nowMs >= from && nowMs < until) return this.world.plan(until - nowMs, () => this.awake(act))
    act()
  }

  /** A task arrives. */
  take(attempt: string, tape: Tape): void {
    this.awake(() => {
      const verdict = this.book.offer(attempt, this.world.nowMs)
      if (verdict === "known") return
      if (verdict === "full") return this.send(attempt, 0, { kind: "full" })
      this.say(attempt, { kind: "accepted", engine: this.plan.engine })
      this.goOn(attempt, tape.entries.length)
    })
  }

  /** A probe arrives; answers what it does not know. */
  probed(waited: ReadonlyArray<readonly [string, number]>, answer: (unknown: ReadonlyArray<string>) => void): void {
    this.awake(() => {
      const { again, unknown } = this.book.probed(waited, this.world.nowMs)
      for (const { attempt, body, n } of again) this.send(attempt, n, body)
      this.world.send(() => answer(unknown))
    })
  }

  /** Nobody wants an attempt any more. */
  cancel(attempt: string): void {
    this.awake(() => this.book.forget(attempt))
  }

  private goOn(attempt: string, at: number): void {
    this.world.plan(this.plan.entryMs, () =>
      this.awake(() => {
        if (this.book.next(attempt) === undefined) return
        if (at < this.length) {
          this.say(attempt, { kind: "tape", from: at, entries: [entryAt(at)], spent })
          return this.goOn(attempt, at + 1)
        }
        this.say(attempt, { kind: "done", outcome: outcomeOf(at) })
        this.book.end(attempt, this.world.nowMs)
      })
    )
  }

  private say(attempt: string, body: Body): void {
    const n = this.book.say(attempt, body, this.world.nowMs)
    if (n !== undefined) this.send(attempt, n, body)
  }

  private send(attempt: string, n: number, body: Body): void {
    this.world.send(() => this.toEdge(attempt, { n, executor: this.plan.id, body }))
  }
}
