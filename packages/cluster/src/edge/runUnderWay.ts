/** One run of an edge on executors: carries out what its course decides. Plain callbacks: only answers to executors are effects. */
import { metricList, Overloaded, type PhaseRequest, RuntimeDefect, type RunOutcome } from "@sibyl/core"
import { retryAfterSeconds } from "@sibyl/core/internal"
import type { PhaseSpending, Tape, TallyJob } from "@sibyl/vm/internal"
import { Effect, Exit, Runtime } from "effect"
import { orderCodec } from "../contract/codec.ts"
import { fitsWhole } from "../contract/frame.ts"
import type { Answer, TraceOfTask } from "../contract/orders.ts"
import type { Ask } from "../contract/replies.ts"
import { AnswersSent } from "./answersSent.ts"
import type { EdgeParts } from "./edgeParts.ts"
import type { EdgeRun } from "./edgeRun.ts"
import { courseTimes } from "./courseTimes.ts"
import { courseOf, type CourseAction, type CourseEvent, type RunCourse, stepOf, wakeMs } from "./runCourse.ts"

/** What is to be run, and who waits for it. */
export interface RunOrder {
  readonly request: PhaseRequest
  readonly tally: TallyJob | undefined
  readonly tape: Tape
  /** The executors of the other executions of a replicated run; this one's is in it while it has one. */
  readonly replicas: Map<RunUnderWay, string> | undefined
  readonly trace: TraceOfTask | undefined
  readonly answer: (ask: Ask) => Effect.Effect<Answer>
  readonly runtime: Runtime.Runtime<never>
  readonly ended: (result: Effect.Effect<RunOutcome, Overloaded>) => void
}

const waitMsOf = ({ limits, phase }: PhaseRequest): number =>
  // A tally phase follows an execution that has run: that it waits longer costs less than to lose both.
  phase === "exec" ? limits.queueWaitMs : Math.max(limits.queueWaitMs, courseTimes.searchMs)

/** What a task has beside its texts is far below this; and a letter of theirs in UTF-8, with what its text's length takes. */
const [usualTaskBytes, longestLetterBytes] = [16_384, 8]

/** A run under way. */
export class RunUnderWay implements EdgeRun {
  private readonly order: RunOrder
  private readonly parts: EdgeParts
  private readonly answers = new AnswersSent()
  private course: RunCourse
  private offers = 0

  constructor(order: RunOrder, parts: EdgeParts) {
    this.order = order
    this.parts = parts
    const isDirect = order.replicas !== undefined || !this.fitsGroup()
    this.course = courseOf(order.tape, waitMsOf(order.request), isDirect, parts.nowMs())
  }

  get wakeMs(): number | undefined {
    return wakeMs(this.course)
  }

  get waitsUntilMs(): number | undefined {
    const { place, searchUntilMs } = this.course
    return place.kind === "waiting" ? searchUntilMs : undefined
  }

  get isUnderWay(): boolean {
    return this.course.place.kind !== "ended"
  }

  get running(): { readonly executor: string; readonly attempt: string; readonly next: number } | undefined {
    const { place } = this.course
    return place.kind === "running" ? place : undefined
  }

  /** A throw in here is a defect of this run; it must not reach the others. */
  tell(event: CourseEvent): void {
    try {
      this.follow(event)
    } catch (fault) {
      this.stop()
      this.order.ended(Effect.die(fault))
    }
  }

  private follow(event: CourseEvent): void {
    const { parts } = this
    const nowMs = parts.nowMs()
    const others = new Set([...(this.order.replicas ?? [])].flatMap(([run, executor]) => (run === this ? [] : [executor])))
    const before = this.listened
    const { deaths } = this.course
    const { actions, course } = stepOf(this.course, event, {
      nowMs,
      others,
      pick: (need) => parts.roster.pick(need, nowMs),
      has: (need) => parts.roster.has(need, nowMs),
      groupIsTrusted: nowMs >= parts.distrustUntilMs(),
      nextAttempt: parts.nextAttempt
    })
    this.course = course
    const { listened } = this
    for (const attempt of before) if (!listened.has(attempt)) parts.attempts.delete(attempt)
    for (const attempt of listened) parts.attempts.set(attempt, this)
    this.noteReplica()
    const { running } = this
    if (running !== undefined) parts.liveness.watch(running.executor, nowMs)
    this.countOffers(actions, course.deaths > deaths)
    for (const action of actions) this.carryOut(action)
    parts.changed(this)
  }

  /** Every offer but the first is a try at another executor. */
  private countOffers(actions: ReadonlyArray<CourseAction>, isLost: boolean): void {
    if (!actions.some(({ kind }) => kind === "offer")) return
    this.offers += 1
    if (this.offers === 1) return
    const reason = isLost ? "lost" : actions.some(({ kind }) => kind === "full") ? "full" : "silent"
    this.parts.metrics.add(metricList.executorRetries, 1, reason)
  }

  /** Nobody waits for it any more. */
  stop(): void {
    const { running } = this
    const { parts } = this
    for (const attempt of this.listened) parts.attempts.delete(attempt)
    this.course = { ...this.course, place: { kind: "ended" } }
    this.order.replicas?.delete(this)
    if (running !== undefined) {
      this.sendCancel(running.executor, running.attempt)
      parts.roster.freed(running.executor)
    }
    parts.changed(this)
  }

  private get attempt(): string | undefined {
    const { place } = this.course
    return place.kind === "offered" || place.kind === "running" ? place.attempt : undefined
  }

  /** The attempts whose replies it wants. */
  private get listened(): ReadonlySet<string> {
    const { place, unanswered } = this.course
    if (place.kind === "ended" || place.kind === "running") return new Set(place.kind === "running" ? [place.attempt] : [])
    return new Set([...unanswered, ...(place.kind === "offered" ? [place.attempt] : [])])
  }

  private noteReplica(): void {
    const { replicas } = this.order
    const { place } = this.course
    const executor = place.kind === "running" ? place.executor : place.kind === "offered" ? place.to : undefined
    if (replicas === undefined) return
    // Of an ended one, the executor still counts: no other execution of this run may be its.
    if (executor !== undefined) replicas.set(this, executor)
    else if (place.kind === "waiting") replicas.delete(this)
  }

  /** Only what is long is written to see whether it fits. */
  private fitsGroup(): boolean {
    const { request, tally } = this.order
    const texts = [...request.args, ...request.envs.flat(), tally?.base ?? ""]
    const atMostBytes = usualTaskBytes + texts.reduce((sum, text) => sum + longestLetterBytes * text.length, 0)
    if (atMostBytes <= this.parts.maxPayloadBytes()) return true
    return fitsWhole(this.taskBody(`${this.parts.edge}.0`, this.order.tape), this.parts.maxPayloadBytes())
  }

  private taskBody(attempt: string, tape: Tape, spent?: PhaseSpending): Uint8Array {
    const { request, tally, trace } = this.order
    const { allowedHosts, args, envs, gasLimit, isRecorded, limits, phase, programId, projectId, storage } = request
    return orderCodec.encode({
      kind: "task",
      attempt,
      request: {
        phase,
        projectId,
        programId,
        args,
        envs,
        gasLimit,
        limits,
        hasStorage: storage !== undefined,
        hasProxies: this.parts.hasProxies,
        ...(isRecorded === true ? { isRecorded } : {}),
        ...(allowedHosts === undefined ? {} : { allowedHosts })
      },
      tape,
      joins: true,
      ...(trace === undefined ? {} : { trace }),
      ...(spent === undefined ? {} : { spent }),
      ...(tally === undefined
        ? {}
        : { tally: { programId: tally.source.programId, base: tally.base, blockHeight: tally.blockHeight, gasLimit: tally.gasLimit } })
    })
  }

  private carryOut(action: CourseAction): void {
    const { order, parts } = this
    switch (action.kind) {
      case "offer":
        if (action.to !== undefined) parts.roster.offered(action.to)
        return parts.offer(action.to, action.attempt, this.taskBody(action.attempt, this.course.tape, this.course.spent))
      case "cancel":
        return this.sendCancel(action.executor, action.attempt)
      case "abandon":
        return parts.order(action.executor, orderCodec.encode({ kind: "abandoned", attempt: action.attempt }))
      case "answer":
        return this.answer(action)
      case "distrust":
        return parts.distrust()
      case "full":
        return parts.roster.full(action.executor)
      case "heard":
        return parts.heard(action.executor, action.attempt)
      case "done":
        return order.ended(Effect.succeed(action.outcome))
      case "overloaded":
        return order.ended(
          Effect.fail(
            new Overloaded({
              message: action.why,
              retryAfterSeconds: retryAfterSeconds(waitMsOf(order.request))
            })
          )
        )
      case "defect":
        return order.ended(Effect.die(new RuntimeDefect(action.why)))
    }
  }

  private sendCancel(executor: string, attempt: string): void {
    this.parts.order(executor, orderCodec.encode({ kind: "cancel", attempt }))
  }

  /** What fails here (a store that is away) ends the run as it would end one in this process. */
  private answer({ ask, attempt, executor, n }: CourseAction & { readonly kind: "answer" }): void {
    const { order, parts } = this
    const asked = this.answers.asked(attempt, n, parts.nowMs())
    if (asked === "underWay") return
    if (asked === "unheard") {
      parts.unheard(executor)
      this.sendCancel(executor, attempt)
      return this.tell({ kind: "lost", executor, attempt })
    }
    const fiber = Runtime.runFork(order.runtime)(Effect.interruptible(order.answer(ask)))
    fiber.addObserver((exit) => {
      this.answers.sent(attempt, n)
      if (this.attempt !== attempt) return
      if (Exit.isSuccess(exit)) return parts.order(executor, orderCodec.encode({ kind: "answer", attempt, n, answer: exit.value }))
      this.stop()
      order.ended(Effect.failCause(exit.cause))
    })
  }
}
