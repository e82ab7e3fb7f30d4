/** Takes requests in: those that wait for their first turn are bounded, in number and in time, before anything is read or run for them. */
import { type Clock, Context, Effect, FiberRef, Layer } from "effect"
import { Overloaded } from "../../contract/errors.ts"
import { maxWaiting, mostWaiting, patienceMs } from "../../domain/runs/intakePatience.ts"
import {
  type Backlog,
  expectedWaitMs,
  leastRetryAfterSeconds,
  mostRetryAfterSeconds,
  retryAfterSeconds
} from "../../domain/runs/retryAfter.ts"
import { whileTaken } from "../fibers/plainEnds.ts"
import { mayStartRun, type RunsInFlight } from "../../domain/runs/runPlaces.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { Metrics } from "../../ports/metrics/metrics.ts"

/** How many a second are taken in, by the second that ended last. */
class Pace {
  #second = 0
  #inSecond = 0
  #inLast = 0

  #turnTo(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000)
    if (second === this.#second) return
    this.#inLast = second === this.#second + 1 ? this.#inSecond : 0
    this.#second = second
    this.#inSecond = 0
  }

  count(nowMs: number): void {
    this.#turnTo(nowMs)
    this.#inSecond += 1
  }

  perSecond(nowMs: number): number {
    this.#turnTo(nowMs)
    return Math.max(this.#inLast, this.#inSecond)
  }
}

/** Tasks of a project run in the order of this number: what has begun, at 0, goes before what has not. */
const notBegun = 1

/** As `Effect.yieldNow({ priority: notBegun })`, which saves and restores all references of the fiber. */
const turnNotBegun = Effect.zipRight(
  FiberRef.set(FiberRef.currentSchedulingPriority, notBegun),
  Effect.zipLeft(Effect.yieldNow(), FiberRef.delete(FiberRef.currentSchedulingPriority))
)

const nowMsOf = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/** Takes in requests that may run a program. */
export class Intake extends Context.Tag("@sibyl/core/Intake")<
  Intake,
  {
    /**
     * Waits until the calling fiber has its turn, after the work of the project's runs under way. Refuses at once when too many requests
     * wait, and when its turn comes, a request that has waited too long; either counts as a refused run.
     */
    readonly enter: (projectId: string) => Effect.Effect<void, Overloaded>
    /** What {@link enter} would refuse with at this moment, in ms on the monotonic clock. */
    readonly refusal: (projectId: string, nowMs: number) => Overloaded | undefined
    /** Requests that wait now: those of the project, and all. */
    readonly coming: (projectId: string) => RunsInFlight
    /** Requests that wait. */
    readonly waiting: Effect.Effect<number>
  }
>() {
  /** Counts in memory. */
  static readonly layer = Layer.effect(
    Intake,
    Effect.map(Metrics, ({ add }) => {
      const own = new Map<string, number>()
      let all = 0
      let emptyAtMs = 0
      const pace = new Pace()

      const leave = (projectId: string): void => {
        const left = (own.get(projectId) ?? 1) - 1
        if (left === 0) own.delete(projectId)
        else own.set(projectId, left)
        all -= 1
      }

      const backlog = (nowMs: number): Backlog => ({
        waiting: all,
        takenPerSecond: pace.perSecond(nowMs),
        standingMs: all === 0 ? 0 : nowMs - emptyAtMs
      })

      const coming = (projectId: string): RunsInFlight => ({ own: own.get(projectId) ?? 0, all })

      const refusal = (projectId: string, nowMs: number): Overloaded | undefined => {
        const waiting = coming(projectId)
        const ahead = backlog(nowMs)
        const most = mostWaiting({ emptyAtMs: nowMs - ahead.standingMs }, ahead.takenPerSecond, nowMs)
        // Others may have filled a queue that was longer a moment ago: who has nothing in it does not pay for that.
        const bound = waiting.own === 0 ? maxWaiting : most
        return mayStartRun(waiting, { perProject: bound, all: bound }) ? undefined : tooMany(ahead)
      }

      const counted = (refused: Overloaded): Overloaded => {
        add(metricList.runs, 1, refused._tag, "none")
        return refused
      }

      const enter = (projectId: string): Effect.Effect<void, Overloaded> =>
        Effect.clockWith((clock) => {
          const arrivedAtMs = nowMsOf(clock)
          const refused = refusal(projectId, arrivedAtMs)
          if (refused !== undefined) return counted(refused)
          const take = (): Effect.Effect<void> => {
            if (all === 0) emptyAtMs = arrivedAtMs
            own.set(projectId, (own.get(projectId) ?? 0) + 1)
            all += 1
            return Effect.void
          }
          const turn = whileTaken(take, turnNotBegun, () => leave(projectId))
          return Effect.flatMap(turn, () => {
            const nowMs = nowMsOf(clock)
            const isLate = nowMs - arrivedAtMs > patienceMs({ emptyAtMs }, nowMs)
            if (all === 0) emptyAtMs = nowMs
            if (isLate) return counted(tooLate(backlog(nowMs)))
            pace.count(nowMs)
            return Effect.void
          })
        })

      return { enter, refusal, coming, waiting: Effect.sync(() => all) }
    })
  )
}

/** One error for each time to wait: under overload many are equal, and making an error costs as much as the rest of a refusal. */
const refusalsSaying = (message: string): ((ahead: Backlog) => Overloaded) => {
  const bySeconds = Array.from(
    { length: mostRetryAfterSeconds + 1 - leastRetryAfterSeconds },
    (_, at) => new Overloaded({ message, retryAfterSeconds: leastRetryAfterSeconds + at })
  )
  return (ahead) => {
    const seconds = retryAfterSeconds(expectedWaitMs(ahead))
    return bySeconds[seconds - leastRetryAfterSeconds] ?? new Overloaded({ message, retryAfterSeconds: seconds })
  }
}

const tooMany = refusalsSaying("too many requests wait for their turn; try again")

const tooLate = refusalsSaying("the service has more requests than it can carry; try again")
