/** Takes requests in: those that wait for their first turn are bounded, in number and in time, before anything is read or run for them. */
import { type Clock, Context, Effect, Layer } from "effect"
import { Overloaded } from "../contract/errors.ts"
import { patienceMs } from "../domain/runs/intakePatience.ts"
import { mayStartRun } from "../domain/runs/runPlaces.ts"

/** Requests that may wait for their first turn. A project may have as many as are free, as with runs. */
export const maxWaiting = 1_000

/** Tasks of a project run in the order of this number: what has begun, at 0, goes before what has not. */
const notBegun = 1

const retryAfterSeconds = 1

const nowMsOf = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/** Takes in requests that may run a program. */
export class Intake extends Context.Tag("@sibyl/core/Intake")<
  Intake,
  {
    /**
     * Waits until the calling fiber has its turn, after the work of the project's runs under way. Refuses at once when too many requests
     * wait, and when its turn comes, a request that has waited too long.
     */
    readonly enter: (projectId: string) => Effect.Effect<void, Overloaded>
    /** Requests that wait. */
    readonly waiting: Effect.Effect<number>
  }
>() {
  /** Counts in memory. */
  static readonly layer = Layer.sync(Intake, () => {
    const own = new Map<string, number>()
    let all = 0
    let emptyAtMs = 0

    const leave = (projectId: string): void => {
      const left = (own.get(projectId) ?? 1) - 1
      if (left === 0) own.delete(projectId)
      else own.set(projectId, left)
      all -= 1
    }

    const enter = (projectId: string): Effect.Effect<void, Overloaded> =>
      Effect.clockWith((clock) => {
        const arrivedAtMs = nowMsOf(clock)
        const waiting = own.get(projectId) ?? 0
        if (!mayStartRun({ own: waiting, all }, { perProject: maxWaiting, all: maxWaiting })) return tooMany
        if (all === 0) emptyAtMs = arrivedAtMs
        own.set(projectId, waiting + 1)
        all += 1
        const turn = Effect.ensuring(
          Effect.yieldNow({ priority: notBegun }),
          Effect.sync(() => leave(projectId))
        )
        return Effect.flatMap(turn, () => {
          const nowMs = nowMsOf(clock)
          const isLate = nowMs - arrivedAtMs > patienceMs({ emptyAtMs }, nowMs)
          if (all === 0) emptyAtMs = nowMs
          return isLate ? tooLate : Effect.void
        })
      })

    return { enter, waiting: Effect.sync(() => all) }
  })
}

const tooMany = new Overloaded({ message: "too many requests wait for their turn; try again", retryAfterSeconds })

const tooLate = new Overloaded({ message: "the service has more requests than it can carry; try again", retryAfterSeconds })
