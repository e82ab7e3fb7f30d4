/** Runs phases with prefetching: remembers what each run requested and prefetches it for the next one (decision "Prefetch"). */
import type { PhaseRequest, PrefetchUse } from "@sibyl/core"
import { Effect, Exit, Fiber, FiberRef, LogLevel } from "effect"
import { ReadingRoom } from "../http/answerBytes.ts"
import type { DrivenPhase } from "./phaseProgress.ts"
import { afterRun } from "./pastRequests.ts"
import { Prefetch } from "./prefetch.ts"
import { RequestMemory } from "./requestMemory.ts"
import type { RunCaller } from "./runCaller.ts"
import { logPart } from "@sibyl/core/internal"

/** Memory reserved for prefetched answers that were not asked for yet: of all runs, and of the runs of one project. */
const [mostBytes, mostBytesOfProject] = [33_554_432, 8_388_608]

/**
 * How many ms of workers the next passes of all runs may take that wait for their answers before they begin. A run above
 * that begins with a pass, which has to wait for a worker, so that workers that cannot keep up still refuse runs.
 */
const mostAwaitedMs = 2_000

/** A phase that has run, with or without prefetching. */
export interface PrefetchedPhase {
  readonly driven: DrivenPhase
  /** Absent if nothing was prefetched. */
  readonly prefetch?: PrefetchUse
}

/** Drives one phase; without a `Prefetch`, each request is sent when the program asks for it. */
type Drive<E> = (prefetch?: Prefetch) => Effect.Effect<DrivenPhase, E>

/** The names of a log line cost more than the rest of a short run, so it is not made where nobody reads it. */
const told = ({ programId, projectId }: PhaseRequest, { requested, used }: PrefetchUse): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentMinimumLogLevel), (least) =>
    LogLevel.greaterThan(least, LogLevel.Debug)
      ? Effect.void
      : Effect.logDebug(`prefetched ${requested} requests, ${used} of them were used`).pipe(
          Effect.annotateLogs({ ...logPart("runs"), projectId, programId })
        )
  )

/** The prefetching of one runtime. */
export class Prefetching {
  private readonly memory = new RequestMemory()
  private readonly room: ReadingRoom
  private awaitedMs = 0

  constructor(room = new ReadingRoom(mostBytes, mostBytesOfProject)) {
    this.room = room
  }

  /** Drives a phase for its caller. Whichever way it ends, its unused requests are aborted before this returns. */
  around<E>(caller: RunCaller, request: PhaseRequest, drive: Drive<E>): Effect.Effect<PrefetchedPhase, E> {
    // Tally programs make no requests.
    return request.phase === "tally" || request.limits.httpPrefetches <= 0
      ? Effect.map(drive(), (driven) => ({ driven }))
      : this.prefetched(caller, request, drive)
  }

  private prefetched<E>(caller: RunCaller, request: PhaseRequest, drive: Drive<E>): Effect.Effect<PrefetchedPhase, E> {
    return Effect.uninterruptibleMask((restore) => {
      const { before, update } = this.memory.find(request)
      const expected = before.requests.filter(({ isExpected }) => isExpected)
      const isAwaited = expected.length > 0 && this.awaitedMs + before.passMs <= mostAwaitedMs
      const awaitedMs = isAwaited ? before.passMs : 0
      this.awaitedMs += awaitedMs
      const prefetch = new Prefetch(request, expected, this.room, caller, isAwaited)
      const after = (exit: Exit.Exit<DrivenPhase, E>): void => {
        this.awaitedMs -= awaitedMs
        const { made, missed, passMs } = prefetch
        if (Exit.isSuccess(exit) && (made.length > 0 || before.requests.length > 0)) {
          update((known) => afterRun(known, { made, missed, passMs, isGood: exit.value.ending.exitCode === 0 }))
        }
      }
      return Effect.flatMap(Effect.exit(restore(drive(prefetch))), (exit): Effect.Effect<PrefetchedPhase, E> => {
        after(exit)
        const left = prefetch.end()
        const { use } = prefetch
        const ended = Exit.map(exit, (driven) => (use === undefined ? { driven } : { driven, prefetch: use }))
        const outcome = use === undefined || Exit.isFailure(exit) ? ended : Effect.zipRight(told(request, use), ended)
        return left.length === 0 ? outcome : Effect.zipRight(Fiber.interruptAll(left), outcome)
      })
    })
  }
}
