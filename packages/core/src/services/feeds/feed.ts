/** One feed: starts its runs when its schedule says so, and delivers each exactly once until it is stopped (decisions D35 to D40). */
import { type Effect, Exit, type Fiber } from "effect"
import { FeedOverlapLimit } from "../../contract/errors.ts"
import { nextStart, type Schedule } from "../../domain/runs/schedule.ts"
import type { Timer, TimerWheel } from "./timerWheel.ts"

/** What a feed runs, and where its results go. */
export interface FeedPlan<A, E> {
  readonly mode: Schedule["mode"]
  readonly periodMs: number
  /** Runs of a PARALLEL feed at once; a start beyond is delivered as a failed run. */
  readonly maxOverlap: number
  readonly run: Effect.Effect<A, E>
  /** Whether somebody would take a result now; where not, the start is left out. Left out: always. */
  readonly mayStart?: () => boolean
  /** Called in the order of completion. It must not throw. */
  readonly deliver: (run: FeedRun<A, E>) => void
}

/** One run that has ended. Times are milliseconds since the Unix epoch. */
export interface FeedRun<A, E> {
  /** 0, 1, 2 ... in the order of starts. */
  readonly seq: number
  readonly scheduledAtMs: number
  readonly startedAtMs: number
  readonly exit: Exit.Exit<A, E | FeedOverlapLimit>
}

/** What a feed needs of its surroundings. */
export interface FeedGround {
  readonly wheel: TimerWheel
  /** Starts a fiber that nothing but the feed watches. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
  /** Wall clock, for the times that clients see. */
  readonly wallClockMs: () => number
}

/** A feed that runs until it is stopped. */
export class Feed<A, E> {
  readonly #ground: FeedGround
  readonly #plan: FeedPlan<A, E>
  readonly #schedule: Schedule
  /** Wall clock minus the wheel's clock, taken once: what clients see keeps the schedule's even spacing. */
  readonly #wallOffsetMs: number
  /** The runs in flight. Only PARALLEL has several: sets of 100,000 feeds would keep the collector busy. */
  readonly #overlapping: Set<Fiber.RuntimeFiber<A, E>> | undefined
  #only: Fiber.RuntimeFiber<A, E> | undefined
  /** One timer for all runs: a new one each time would outlive the young and cost the collector dear. */
  #timer: Timer | undefined
  #dueMs = 0
  #nextSeq = 0
  #starting = false
  #stopped = false
  #retired = false

  /** Starts at once: now is the start of run 0. */
  constructor(ground: FeedGround, plan: FeedPlan<A, E>) {
    const originMs = ground.wheel.nowMs()
    this.#ground = ground
    this.#plan = plan
    this.#schedule = { mode: plan.mode, periodMs: plan.periodMs, originMs }
    this.#overlapping = plan.mode === "PARALLEL" ? new Set() : undefined
    this.#wallOffsetMs = ground.wallClockMs() - originMs
    this.#start(originMs)
  }

  /** No run starts and nothing is delivered from now on. Runs in flight lose their reader, nothing else. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    for (const fiber of this.#overlapping ?? []) fiber.unsafeInterruptAsFork(fiber.id())
    this.#overlapping?.clear()
    this.#only?.unsafeInterruptAsFork(this.#only.id())
    this.#only = undefined
  }

  /** No run starts from now on; those in flight are still delivered. */
  retire(): void {
    this.#retired = true
    this.#timer?.cancel()
  }

  /** Whether a run is in flight that will be delivered. */
  get isRunning(): boolean {
    return !this.#stopped && (this.#only !== undefined || (this.#overlapping?.size ?? 0) > 0)
  }

  #start(scheduledMs: number): void {
    if (this.#stopped || this.#retired) return
    this.#starting = true
    this.#begin(scheduledMs)
    this.#starting = false
  }

  #begin(scheduledMs: number): void {
    const startMs = this.#ground.wheel.nowMs()
    const seq = this.#nextSeq
    if (this.#plan.mayStart?.() === false) return this.#leaveOut(seq, startMs)
    this.#nextSeq += 1
    const overlapping = this.#overlapping
    if (overlapping !== undefined) this.#await(nextStart(this.#schedule, { seq, startMs, endMs: startMs }))
    if (overlapping !== undefined && overlapping.size >= this.#plan.maxOverlap) {
      this.#deliver(seq, scheduledMs, startMs, overlapExit(this.#plan.maxOverlap))
      return
    }
    const fiber = this.#ground.fork(this.#plan.run)
    if (overlapping === undefined) this.#only = fiber
    else overlapping.add(fiber)
    fiber.addObserver((exit) => {
      const endMs = this.#ground.wheel.nowMs()
      if (overlapping === undefined) this.#only = undefined
      else overlapping.delete(fiber)
      if (this.#stopped) return
      this.#deliver(seq, scheduledMs, startMs, exit)
      if (overlapping === undefined) this.#await(nextStart(this.#schedule, { seq, startMs, endMs }))
    })
  }

  /** PARALLEL counts the points of its grid, also those that were left out. */
  #leaveOut(seq: number, startMs: number): void {
    if (this.#overlapping !== undefined) this.#nextSeq += 1
    this.#await(nextStart(this.#schedule, { seq, startMs, endMs: startMs }))
  }

  #await(dueMs: number): void {
    if (this.#stopped || this.#retired) return
    // A run that follows its predecessor at once must not wait for the wheel's next tick. But a start within a start goes
    // by way of the wheel: after a long stall there are more of them than the stack is deep.
    if (!this.#starting && dueMs <= this.#ground.wheel.nowMs()) return this.#start(dueMs)
    this.#dueMs = dueMs
    if (this.#timer === undefined) this.#timer = this.#ground.wheel.at(dueMs, () => this.#start(this.#dueMs))
    else this.#timer.setAgain(dueMs)
  }

  #deliver(seq: number, scheduledMs: number, startMs: number, exit: Exit.Exit<A, E | FeedOverlapLimit>): void {
    this.#plan.deliver({
      seq,
      scheduledAtMs: Math.round(scheduledMs + this.#wallOffsetMs),
      startedAtMs: Math.round(startMs + this.#wallOffsetMs),
      exit
    })
  }
}

const overlapExit = (maxOverlap: number): Exit.Exit<never, FeedOverlapLimit> =>
  Exit.fail(
    new FeedOverlapLimit({ message: `${maxOverlap} runs of this feed are in flight; this one did not start`, details: { maxOverlap } })
  )
