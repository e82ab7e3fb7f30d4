/** One feed: starts its runs when its schedule says so, and delivers each exactly once until it is stopped (decisions D35 to D40). */
import { type Effect, Exit, type Fiber, type Tracer } from "effect"
import { FeedOverlapLimit } from "../../contract/errors.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import type { Measuring } from "../../ports/metrics/metrics.ts"
import { nextStart, type Schedule } from "../../domain/runs/feedSchedule.ts"
import type { BeginTick } from "./tickTrace.ts"
import type { Timer, TimerWheel } from "./timerWheel.ts"

/** What a feed runs, and where its results go. */
export interface FeedPlan<A, E> {
  readonly mode: Schedule["mode"]
  readonly periodMs: number
  /** The most concurrent runs of a PARALLEL feed; a start beyond this is delivered as a failed run. */
  readonly maxOverlap: number
  /** Each run, or the run with a number. */
  readonly run: Effect.Effect<A, E> | ((seq: number) => Effect.Effect<A, E>)
  /** The first run: its sequence number, and in how many milliseconds it is due. If absent, 0 and at once. */
  readonly first?: { readonly seq: number; readonly inMs: number }
  /** Called with 1 before each run that starts and with -1 after its end, also after the feed was stopped. */
  readonly count?: (by: 1 | -1) => void
  /** Whether a result would be read now; if not, the start is skipped. If absent, always. */
  readonly mayStart?: () => boolean
  /** Why no run may begin now, if so: the start is delivered as a run that failed of it. If absent, any run may. */
  readonly refusal?: () => E | undefined
  /** The span of the request that started the feed: traces of its ticks are linked to it. */
  readonly startedBy?: Tracer.AnySpan | undefined
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

/** The environment of a feed. */
export interface FeedGround {
  readonly wheel: TimerWheel
  /** Starts a fiber that nothing but the feed watches. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>, span?: Tracer.Span) => Fiber.RuntimeFiber<A, E>
  /** Wall clock, for the times that clients see. */
  readonly wallClockMs: () => number
  readonly metrics: Measuring
  /** Absent where no tracer is installed. */
  readonly beginTick?: BeginTick
}

/** A feed that runs until it is stopped. */
export class Feed<A, E> {
  readonly #ground: FeedGround
  readonly #plan: FeedPlan<A, E>
  readonly #runOf: (seq: number) => Effect.Effect<A, E>
  readonly #schedule: Schedule
  /** Wall clock minus the wheel's clock, taken once, so that the times that clients see keep the schedule's even spacing. */
  readonly #wallOffsetMs: number
  /** The runs in flight of a PARALLEL feed. Other modes have one at most; 100,000 sets would keep the garbage collector busy. */
  readonly #overlapping: Set<Fiber.RuntimeFiber<A, E>> | undefined
  #only: Fiber.RuntimeFiber<A, E> | undefined
  /** One timer for all runs: a new one per run would often reach the old generation, which is costly to collect. */
  #timer: Timer | undefined
  #dueMs = 0
  #nextSeq: number
  #starting = false
  #stopped = false
  #retired = false

  /** Starts at once, if the plan says nothing else: now is the start of run 0. */
  constructor(ground: FeedGround, plan: FeedPlan<A, E>) {
    const nowMs = ground.wheel.nowMs()
    const { inMs, seq } = plan.first ?? { inMs: 0, seq: 0 }
    const originMs = nowMs + inMs - seq * plan.periodMs
    this.#nextSeq = seq
    this.#ground = ground
    this.#plan = plan
    const { run } = plan
    this.#runOf = typeof run === "function" ? run : () => run
    this.#schedule = { mode: plan.mode, periodMs: plan.periodMs, originMs }
    this.#overlapping = plan.mode === "PARALLEL" ? new Set() : undefined
    this.#wallOffsetMs = ground.wallClockMs() - nowMs
    ground.metrics.add(metricList.feeds, 1, plan.mode)
    this.#await(nowMs + inMs)
  }

  /** From now on no run starts and nothing is delivered. Runs in flight go on; only their results are dropped. */
  stop(): void {
    if (!this.#stopped) this.#ground.metrics.add(metricList.feeds, -1, this.#plan.mode)
    this.#stopped = true
    this.#timer?.cancel()
    for (const fiber of this.#overlapping ?? []) fiber.unsafeInterruptAsFork(fiber.id())
    this.#overlapping?.clear()
    this.#only?.unsafeInterruptAsFork(this.#only.id())
    this.#only = undefined
  }

  /** From now on no run starts; those in flight are still delivered. */
  retire(): void {
    this.#retired = true
    this.#timer?.cancel()
  }

  /** The sequence number of the next run. */
  get nextSeq(): number {
    return this.#nextSeq
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
    const { metrics } = this.#ground
    const { mode } = this.#plan
    if (this.#plan.mayStart?.() === false) {
      metrics.add(metricList.feedStartsDropped, 1, mode)
      return this.#leaveOut(seq, startMs)
    }
    this.#nextSeq += 1
    const overlapping = this.#overlapping
    if (overlapping !== undefined) this.#await(nextStart(this.#schedule, { seq, startMs, endMs: startMs }))
    const refused = this.#refused()
    if (refused !== undefined) {
      metrics.add(metricList.feedStartsOverlapping, 1)
      this.#deliver(seq, scheduledMs, startMs, Exit.fail(refused))
      if (overlapping === undefined) this.#await(nextStart(this.#schedule, { seq, startMs, endMs: startMs }))
      return
    }
    metrics.observe(metricList.feedLateness, Math.max(0, startMs - scheduledMs) / 1000, mode)
    this.#plan.count?.(1)
    const trace = this.#ground.beginTick?.(mode, seq, this.#plan.startedBy)
    const fiber = this.#ground.fork(this.#runOf(seq), trace?.span)
    if (overlapping === undefined) this.#only = fiber
    else overlapping.add(fiber)
    fiber.addObserver((exit) => {
      this.#plan.count?.(-1)
      const endMs = this.#ground.wheel.nowMs()
      if (overlapping === undefined) this.#only = undefined
      else overlapping.delete(fiber)
      const deliver = (): void => {
        if (!this.#stopped) this.#deliver(seq, scheduledMs, startMs, exit)
      }
      if (trace === undefined) deliver()
      else trace.end(exit, deliver)
      if (this.#stopped) return
      if (overlapping === undefined) this.#await(nextStart(this.#schedule, { seq, startMs, endMs }))
    })
  }

  /** Why the run that is due does not begin. */
  #refused(): E | FeedOverlapLimit | undefined {
    const { maxOverlap, refusal } = this.#plan
    return this.#overlapping !== undefined && this.#overlapping.size >= maxOverlap ? overlapLimit(maxOverlap) : refusal?.()
  }

  /** PARALLEL counts every point of its grid, including skipped ones. */
  #leaveOut(seq: number, startMs: number): void {
    if (this.#overlapping !== undefined) this.#nextSeq += 1
    this.#await(nextStart(this.#schedule, { seq, startMs, endMs: startMs }))
  }

  #await(dueMs: number): void {
    if (this.#stopped || this.#retired) return
    // A run that follows its predecessor at once must not wait for the wheel's next tick. But nested starts go through the
    // wheel: after a long stall there may be more of them than the stack allows.
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

const overlapLimit = (maxOverlap: number): FeedOverlapLimit =>
  new FeedOverlapLimit({ message: `${maxOverlap} runs of this feed are in flight; this one did not start`, details: { maxOverlap } })
