/** The port to a timer of the runtime, for what waits thousands of times a second. */
import { Clock, Context, Duration, Effect, Runtime } from "effect"

/** Calls back once after `delayMs`; what it returns cancels that. The callback does not throw. */
export type SetAlarm = (delayMs: number, ring: () => void) => () => void

/** One sleeping fiber for each alarm, on the clock of the runtime: a test's clock applies too. */
const onClock: Effect.Effect<SetAlarm> = Effect.gen(function* () {
  const clock = yield* Clock.clockWith(Effect.succeed)
  const fork = Runtime.runFork(yield* Effect.runtime())
  return (delayMs, ring) => {
    const sleeper = fork(clock.sleep(Duration.millis(delayMs)))
    let isSet = true
    sleeper.addObserver(() => {
      if (isSet) ring()
    })
    return () => {
      isSet = false
      sleeper.unsafeInterruptAsFork(sleeper.id())
    }
  }
})

/**
 * Makes the function that sets alarms. By default each alarm is a sleeping fiber. An embedder may give the timers of its runtime: a fiber
 * that sleeps survives young collections and what it refers to with it, which with 8,000 feeds cost half of the wheel's processor time.
 */
export class Alarm extends Context.Reference<Alarm>()("@sibyl/core/Alarm", { defaultValue: () => onClock }) {}
