/** Drives one phase of one program: passes over a growing tape until the program ends or its wall clock runs out. */
import { type HttpFetch, Overloaded, type PhaseRequest, RuntimeDefect } from "@sibyl/core"
import { Clock, Effect, Option } from "effect"
import { terminalEnding, type Ending } from "../pass/ending.ts"
import { phaseGasLimit } from "../pass/phaseGasLimit.ts"
import { type AnsweredCall, type HostCall, isTerminal, type Tape, type TerminalEntry } from "../tape/tape.ts"
import type { PassReply } from "../pool/passJob.ts"
import type { WorkerPool } from "../pool/workerPool.ts"
import { answerCall } from "./answerCall.ts"
import { fetchRoomOf } from "./fetchRoom.ts"
import type { Prefetch } from "./prefetch.ts"
import type { ProxyAccess } from "./proxyAccess.ts"
import { type RunStorage, storageOnTape, untouched } from "./runStorage.ts"

/** An ended phase, and the tape on which it can be run again. */
export interface DrivenPhase {
  readonly ending: Ending
  readonly tape: Tape
  /** What the program changed of what it keeps. */
  readonly storage: RunStorage
}

/** A phase under way. Times are in ms. */
interface Progress {
  readonly tape: Tape
  readonly storage: RunStorage
  readonly wallClockLeftMs: number
  readonly httpLeftMs: number
  /** What workers spent on its passes. */
  readonly workerMs: number
  /** The gas of the last finished pass. */
  readonly gasUsed: bigint
  readonly prefetch: Prefetch | undefined
  /** Whether it has had its turn at the workers. What has begun goes on: a run that was refused later would have worked for nothing. */
  readonly hasBegun: boolean
  /** Prefetched answers for the calls of the next pass. */
  readonly ahead: ReadonlyArray<AnsweredCall>
}

const wallClockMs = ({ limits, phase }: PhaseRequest): number => (phase === "exec" ? limits.execWallClockMs : limits.tallyWallClockMs)

/** A pass; or only the turn at the workers that a run begins with. */
const onePass = (pool: WorkerPool, request: PhaseRequest, progress: Progress, isAdmission = false): Effect.Effect<PassReply> =>
  Effect.async<PassReply>((resume) => {
    const { abandoned, args, envs, gasLimit, limits, phase, program, programId, projectId } = request
    const { ahead, hasBegun, prefetch, tape } = progress
    const takeBack = pool.submit(
      {
        source: { programId, bytes: program, memoryPages: limits.memoryPages },
        input: { phase, args, envs, gasLimit, tape, limits, ...(ahead.length === 0 ? {} : { ahead }) },
        budgetMs: progress.wallClockLeftMs,
        projectId,
        first: !hasBegun,
        isAdmission,
        // Not earlier: a run that waits for a worker may still be refused.
        ...(hasBegun
          ? {}
          : { maxWaitMs: limits.queueWaitMs, onStart: () => prefetch?.start(), ...(abandoned === undefined ? {} : { abandoned }) })
      },
      (reply) => resume(Effect.succeed(reply))
    )
    return Effect.sync(takeBack)
  })

/** Ends the tape with an entry that the program had no part in. */
const endedBy = (entry: TerminalEntry, request: PhaseRequest, tape: Tape): DrivenPhase => {
  const gasLimit = phaseGasLimit(request.phase, request.envs, request.gasLimit)
  return {
    ending: typeof gasLimit === "bigint" ? terminalEnding(request.phase, entry, gasLimit) : gasLimit,
    tape: { ...tape, entries: [...tape.entries, entry] },
    // Nothing is kept of a run that ended so.
    storage: untouched
  }
}

const deadline = (request: PhaseRequest, progress: Progress): DrivenPhase =>
  endedBy(
    {
      kind: "deadline",
      limitMs: wallClockMs(request),
      gasCharged: progress.gasUsed,
      workerMs: Math.ceil(progress.workerMs)
    },
    request,
    progress.tape
  )

const lastMs = (tape: Tape): number => {
  const last = tape.entries.at(-1)
  return last === undefined || isTerminal(last) ? tape.startTimeMs : last.atMs
}

/** Performs the call and puts its answer on the tape; none when the wall clock runs out before. */
const answered = (
  call: HostCall,
  request: PhaseRequest,
  progress: Progress
): Effect.Effect<Option.Option<Progress>, never, HttpFetch | ProxyAccess> =>
  Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    const { prefetch, storage, tape } = progress
    const room = fetchRoomOf(request, tape, call.action.length, progress.httpLeftMs)
    const answer = yield* answerCall(call, { tape, storage, room, prefetch }, request.storage).pipe(
      Effect.timeoutOption(Math.max(0, progress.wallClockLeftMs))
    )
    if (Option.isNone(answer)) return Option.none()
    const nowMs = yield* Clock.currentTimeMillis
    const spentMs = Math.max(0, nowMs - startMs)
    const entry: AnsweredCall = { ...answer.value.call, atMs: Math.max(lastMs(tape), Math.floor(nowMs)) }
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

/** Sends the expected requests, and waits for the answers that its first pass will ask for. */
const awaited = (prefetch: Prefetch, request: PhaseRequest, progress: Progress): Effect.Effect<Progress> =>
  Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    const { httpLeftMs, tape, wallClockLeftMs } = progress
    prefetch.start()
    const ahead = yield* prefetch.awaitAnswers(fetchRoomOf(request, tape, 0, httpLeftMs), wallClockLeftMs)
    const spentMs = Math.max(0, (yield* Clock.currentTimeMillis) - startMs)
    return {
      ...progress,
      ahead: ahead.map((entry) => ({ ...entry, atMs: Math.max(lastMs(tape), entry.atMs) })),
      wallClockLeftMs: wallClockLeftMs - spentMs,
      httpLeftMs: httpLeftMs - spentMs
    }
  })

const defect = (message: string): Effect.Effect<never> => Effect.die(new RuntimeDefect(message))

/** No worker had the run: it did not begin. */
const refused = (why: string): Effect.Effect<never, Overloaded> =>
  new Overloaded({ message: `${why}; nothing ran and nothing was charged`, retryAfterSeconds: 1 })

/** The next state of a phase after a pass: further progress, or its end. */
const step = (
  reply: PassReply,
  request: PhaseRequest,
  progress: Progress
): Effect.Effect<Progress | DrivenPhase, Overloaded, HttpFetch | ProxyAccess> => {
  if (reply.kind === "defect") return defect(reply.message)
  if (reply.kind === "admitted") {
    const begun = { ...progress, hasBegun: true }
    if (progress.prefetch === undefined) return Effect.succeed(begun)
    return Effect.map(awaited(progress.prefetch, request, begun), (next) => (next.wallClockLeftMs > 0 ? next : deadline(request, next)))
  }
  if (reply.kind === "queueFull") return refused("too many runs wait for a worker")
  if (reply.kind === "waitedTooLong") return refused(`no worker was free within ${request.limits.queueWaitMs} ms`)
  if (reply.kind === "abandoned") return refused("its caller left before a worker was free")
  const workerMs = progress.workerMs + reply.elapsedMs
  const { elapsedMs } = reply
  if (reply.kind === "deadline") {
    progress.prefetch?.passed(elapsedMs, [])
    return Effect.succeed(deadline(request, { ...progress, workerMs }))
  }
  const { result } = reply
  const used = progress.ahead.slice(0, result.usedAhead ?? 0)
  const tape = used.length === 0 ? progress.tape : { ...progress.tape, entries: [...progress.tape.entries, ...used] }
  progress.prefetch?.passed(elapsedMs, used)
  if (result.kind === "done") return Effect.succeed({ ending: result.ending, tape, storage: progress.storage })
  if (result.kind === "stackOverflow") return Effect.succeed(endedBy({ kind: "stackOverflow" }, request, tape))
  const after = {
    ...progress,
    tape,
    hasBegun: true,
    wallClockLeftMs: progress.wallClockLeftMs - elapsedMs,
    workerMs,
    gasUsed: result.gasUsed
  }
  return Effect.map(
    answered(result.call, request, after),
    Option.getOrElse(() => deadline(request, after))
  )
}

/**
 * Runs a phase to its end, from a tape that may already hold answers: a full tape is a replay and makes no request.
 * The wall clock counts passes and requests, not the waiting for a worker; that is bounded for the first pass of a run.
 * `prefetch` starts with the first turn at the workers; if its answers are awaited, the first pass begins with them.
 */
export const drivePhase = (
  pool: WorkerPool,
  request: PhaseRequest,
  tape: Tape,
  prefetch?: Prefetch
): Effect.Effect<DrivenPhase, Overloaded, HttpFetch | ProxyAccess> =>
  Effect.gen(function* () {
    let progress: Progress = {
      tape,
      prefetch,
      hasBegun: request.phase !== "exec" || tape.entries.length > 0,
      ahead: [],
      storage: storageOnTape(tape),
      wallClockLeftMs: wallClockMs(request),
      httpLeftMs: request.limits.httpRunBudgetMs,
      workerMs: 0,
      gasUsed: 0n
    }
    for (;;) {
      const isAdmission = prefetch?.isAwaited === true && !progress.hasBegun
      const next: Progress | DrivenPhase = yield* step(yield* onePass(pool, request, progress, isAdmission), request, progress)
      if ("ending" in next) return next
      progress = next
    }
  })
