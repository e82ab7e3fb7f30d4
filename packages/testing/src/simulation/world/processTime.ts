/** The clock and the scheduler of one simulated process: when the process is killed, nothing of it happens any more. */
import { Clock, Duration, Effect, Layer, Scheduler } from "effect"
import type { SimClock } from "../../clock/simClock.ts"

/** The time of one life of a process, on the clock that all processes share. */
export class ProcessTime {
  #alive = true
  readonly clock: Clock.Clock
  readonly scheduler: Scheduler.Scheduler
  /** Puts a runtime on this clock and scheduler. */
  readonly layer: Layer.Layer<never>

  constructor(shared: SimClock) {
    this.scheduler = Scheduler.make((task, priority) => {
      if (!this.#alive) return
      shared.scheduler.scheduleTask(() => {
        if (this.#alive) task()
      }, priority)
    })
    this.clock = {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => shared.unsafeCurrentTimeMillis(),
      unsafeCurrentTimeNanos: () => shared.unsafeCurrentTimeNanos(),
      currentTimeMillis: shared.currentTimeMillis,
      currentTimeNanos: shared.currentTimeNanos,
      sleep: (duration) =>
        Effect.async<void>((resume) => {
          const wake = (): void => {
            if (this.#alive) resume(Effect.void)
          }
          return Effect.sync(shared.at(shared.nowMs() + Duration.toMillis(duration), wake))
        })
    }
    this.layer = Layer.merge(Layer.setClock(this.clock), Layer.setScheduler(this.scheduler))
  }

  get isAlive(): boolean {
    return this.#alive
  }

  /** Stops every fiber where it is, for ever. */
  kill(): void {
    this.#alive = false
  }
}
