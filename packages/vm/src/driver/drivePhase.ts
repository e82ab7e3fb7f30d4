/** Drives one phase of one program: passes over a growing tape until the program ends or its wall clock runs out. */
import { type HttpFetch, metricList, type Overloaded, type PhaseRequest } from "@sibyl/core"
import type { BeginSpan } from "@sibyl/core/internal"
import { Clock, Effect, Exit, Fiber, Option } from "effect"
import type { WorkerPool } from "../pool/workerPool.ts"
import type { PassReply, TallyJob } from "../pool/passJob.ts"
import type { AnsweredCall, HostCall, Tape } from "../tape/tape.ts"
import { answerCall } from "./answerCall.ts"
import { fetchRoomOf } from "./fetchRoom.ts"
import type { Continuation } from "./continuation.ts"
import { beginning, deadline, type DrivenPhase, lastMs, type PhaseProgress, spendingOf, stepAfter, usedAhead } from "./phaseProgress.ts"
import type { Prefetch } from "./prefetch.ts"
import type { ProxyAccess } from "./proxyAccess.ts"
import type { RunCaller } from "./runCaller.ts"

/** Performs the call and puts its answer on the tape; none when the wall clock runs out before. */
const answered = (
  call: HostCall,
  request: PhaseRequest,
  progress: PhaseProgress,
  prefetch: Prefetch | undefined
): Effect.Effect<Option.Option<PhaseProgress>, never, HttpFetch | ProxyAccess> =>
  Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    const { storage, tape } = progress
    const room = fetchRoomOf(request, tape, call.action.length, progress.httpLeftMs)
    const answer = yield* answerCall(call, { tape, storage, room, prefetch }, request.storage).pipe(
      Effect.timeoutOption(Math.max(0, progress.wallClockLeftMs))
    )
    if (Option.isNone(answer)) return Option.none()
    const nowMs = yield* Clock.currentTimeMillis
    const spentMs = Math.max(0, nowMs - startMs)
    const entry: AnsweredCall = { atMs: Math.max(lastMs(tape), Math.floor(nowMs)), ...answer.value.call }
    const answeredTape = { ...tape, entries: [...tape.entries, entry] }
    const httpLeftMs = progress.httpLeftMs - spentMs
    return Option.some({
      ...progress,
      tape: answeredTape,
      ahead: prefetch?.answers(fetchRoomOf(request, answeredTape, 0, httpLeftMs), entry.atMs) ?? [],
      storage: answer.value.storage,
      wallClockLeftMs: progress.wallClockLeftMs - spentMs,
      httpLeftMs
    })
  })

/** Where a phase is driven, and for whom. */
export interface DrivePlace {
  readonly pool: WorkerPool
  readonly caller: RunCaller
}

/** What a drive needs beside its request. */
interface DriveParts extends DrivePlace {
  readonly prefetch: Prefetch | undefined
  readonly onTape: Continuation["onTape"]
  readonly beginSpan: BeginSpan | undefined
}

/** A phase being driven. Plain callbacks between the passes: only calls that a pass asks for are effects. */
class PhaseDrive {
  private readonly request: PhaseRequest
  private readonly parts: DriveParts
  private readonly ended: (result: Effect.Effect<DrivenPhase, Overloaded>) => void
  private progress: PhaseProgress
  private giveUp: Effect.Effect<void> = Effect.void
  private passes = 0
  private passAskedMs = 0
  private endPassSpan: ReturnType<BeginSpan> | undefined
  /** Of the tally phase that the last pass was followed by. */
  private tallyMs: number | undefined
  private readonly startMs = performance.now()
  private isOver = false

  constructor(
    request: PhaseRequest,
    progress: PhaseProgress,
    parts: DriveParts,
    ended: (result: Effect.Effect<DrivenPhase, Overloaded>) => void
  ) {
    this.request = request
    this.parts = parts
    this.ended = ended
    this.progress = progress
  }

  /** Ends what is under way; nothing follows. */
  readonly cancel: Effect.Effect<void> = Effect.suspend(() => {
    this.isOver = true
    this.endPassSpan?.({ "error.type": "interrupted" })
    return this.giveUp
  })

  /** A pass; or, while the run has not begun and its answers are awaited, its turn at the workers. */
  pass(): void {
    const { abandoned, args, envs, gasLimit, limits, phase, program, programId, projectId } = this.request
    const { pool, prefetch } = this.parts
    const { ahead, hasBegun, tally, tape, wallClockLeftMs } = this.progress
    let isReplied = false
    if (this.parts.caller.metrics.isOn) this.passAskedMs = performance.now()
    this.endPassSpan = this.parts.beginSpan?.("pass", { "sibyl.phase": phase, "sibyl.pass": this.passes })
    const takeBack = pool.submit(
      {
        source: { programId, bytes: program, memoryPages: limits.memoryPages },
        input: { phase, args, envs, gasLimit, tape, limits, ...(ahead.length === 0 ? {} : { ahead }) },
        budgetMs: wallClockLeftMs,
        projectId,
        first: !hasBegun,
        isAdmission: !hasBegun && prefetch?.isAwaited === true,
        ...(tally === undefined ? {} : { tally }),
        // Not earlier: a run that waits for a worker may still be refused.
        ...(hasBegun
          ? {}
          : { maxWaitMs: limits.queueWaitMs, onStart: () => prefetch?.start(), ...(abandoned === undefined ? {} : { abandoned }) })
      },
      (reply) => {
        isReplied = true
        this.goOn(() => this.replied(reply))
      }
    )
    if (!isReplied) this.giveUp = Effect.sync(takeBack)
  }

  /** A throw in here is a defect of this run; it must not reach the pool, nor the other runs. */
  private goOn(step: () => void): void {
    if (this.isOver) return
    try {
      step()
    } catch (fault) {
      this.end(Effect.die(fault))
    }
  }

  private end(result: Effect.Effect<DrivenPhase, Overloaded>): void {
    this.isOver = true
    this.endPassSpan?.()
    this.measure()
    this.ended(result)
  }

  private measure(): void {
    const { metrics } = this.parts.caller
    // Nothing ran.
    if (!metrics.isOn || this.passes === 0) return
    const { phase } = this.request
    metrics.observe(metricList.phasePasses, this.passes, phase)
    const { tallyMs } = this
    metrics.observe(metricList.phaseSeconds, (performance.now() - this.startMs - (tallyMs ?? 0)) / 1000, phase)
    if (tallyMs === undefined) return
    metrics.observe(metricList.phasePasses, 1, "tally")
    metrics.observe(metricList.phaseSeconds, tallyMs / 1000, "tally")
  }

  /** What was not spent on the pass itself was spent on waiting for a worker. */
  private measurePass(elapsedMs: number): void {
    this.passes += 1
    this.endPassSpan?.({ "sibyl.pass.worker_ms": elapsedMs })
    this.endPassSpan = undefined
    const { metrics } = this.parts.caller
    if (metrics.isOn) metrics.observe(metricList.queueSeconds, Math.max(0, performance.now() - this.passAskedMs - elapsedMs) / 1000)
  }

  private replied(reply: PassReply): void {
    if ("elapsedMs" in reply) this.measurePass(reply.elapsedMs)
    if (reply.kind === "passed" && reply.tally !== undefined) {
      this.tallyMs = reply.tallyMs
      this.parts.beginSpan?.("tally", { "sibyl.phase": "tally" }, reply.tallyMs)()
    }
    if (reply.kind === "passed" || reply.kind === "deadline") this.parts.prefetch?.passed(reply.elapsedMs, usedAhead(reply, this.progress))
    const step = stepAfter(reply, this.request, this.progress)
    switch (step.kind) {
      case "ended":
        return this.end(Effect.succeed(step.driven))
      case "refused":
        return this.end(Effect.fail(step.error))
      case "defect":
        return this.end(Effect.die(step.defect))
      case "await":
        this.progress = step.progress
        // Not at once: the pool is in the middle of giving turns.
        return queueMicrotask(() => this.goOn(() => this.awaitAnswers()))
      case "again":
        this.progress = step.progress
        return queueMicrotask(() => this.goOn(() => this.pass()))
      case "answer":
        this.progress = step.progress
        return this.answer(step.call)
    }
  }

  /** Sends the expected requests, and waits for the answers that its first pass will ask for. */
  private awaitAnswers(): void {
    const {
      caller: { clock },
      prefetch
    } = this.parts
    const { httpLeftMs, tape, wallClockLeftMs } = this.progress
    if (prefetch === undefined) return this.pass()
    const startMs = clock.unsafeCurrentTimeMillis()
    prefetch.start()
    const room = fetchRoomOf(this.request, tape, 0, httpLeftMs)
    this.giveUp = prefetch.awaitAnswers(room, wallClockLeftMs, (answers) =>
      this.goOn(() => {
        const spentMs = Math.max(0, clock.unsafeCurrentTimeMillis() - startMs)
        this.progress = {
          ...this.progress,
          ahead: answers.map((entry) => ({ ...entry, atMs: Math.max(lastMs(tape), entry.atMs) })),
          wallClockLeftMs: wallClockLeftMs - spentMs,
          httpLeftMs: httpLeftMs - spentMs
        }
        this.passInTime()
      })
    )
  }

  private passInTime(): void {
    if (this.progress.wallClockLeftMs > 0) this.pass()
    else this.end(Effect.succeed(deadline(this.request, this.progress)))
  }

  private answer(call: HostCall): void {
    const { caller, prefetch } = this.parts
    const fiber = caller.fork(answered(call, this.request, this.progress, prefetch))
    this.giveUp = Effect.asVoid(Fiber.interrupt(fiber))
    fiber.addObserver((exit) => this.goOn(() => this.answeredWith(exit)))
  }

  private answeredWith(exit: Exit.Exit<Option.Option<PhaseProgress>>): void {
    if (Exit.isFailure(exit)) return this.end(Effect.failCause(exit.cause))
    if (Option.isNone(exit.value)) return this.end(Effect.succeed(deadline(this.request, this.progress)))
    this.progress = exit.value.value
    this.parts.onTape?.(this.progress.tape, spendingOf(this.progress))
    this.pass()
  }
}

/**
 * Runs a phase to its end, from a tape that may already hold answers: a full tape is a replay and makes no request.
 * The wall clock counts passes and requests, not the waiting for a worker; that is bounded for the first pass of a run.
 * `prefetch` starts with the first turn at the workers; if its answers are awaited, the first pass begins with them. `tally` runs
 * behind the last pass. With `continuation`, the phase goes on from where it was in another place, or can be continued there.
 */
export const drivePhase = (
  { caller, pool }: DrivePlace,
  request: PhaseRequest,
  tape: Tape,
  prefetch?: Prefetch,
  tally?: TallyJob,
  { onTape, spent }: Continuation = {}
): Effect.Effect<DrivenPhase, Overloaded> =>
  Effect.async((resume) => {
    const parts = { pool, caller, prefetch, onTape, beginSpan: caller.beginSpan }
    const drive = new PhaseDrive(request, beginning(request, tape, tally, spent), parts, resume)
    drive.pass()
    return drive.cancel
  })
