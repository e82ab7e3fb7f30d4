/** Alarms by the timers of Node and Bun. */
import { Alarm, type SetAlarm } from "@sibyl/core/internal"
import { Effect, Layer } from "effect"

const setAlarm: SetAlarm = (delayMs, ring) => {
  const timer = setTimeout(ring, delayMs)
  return () => clearTimeout(timer)
}

/** Provides them to everything built on it. */
export const layerRuntimeAlarm: Layer.Layer<never> = Layer.succeed(Alarm, Effect.succeed(setAlarm))
