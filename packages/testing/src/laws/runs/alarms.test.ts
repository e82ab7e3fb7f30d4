/** Alarms on Effect's clock satisfy the laws, and alarms with a fault do not. */
import { Alarm, type SetAlarm } from "@sibyl/core/internal"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { describeLaws } from "../../describeLaws.ts"
import { alarmLaws } from "./alarmLaws.ts"
import { brokenLaws } from "./testdata/brokenLaws.ts"

describeLaws(
  "alarms on Effect's clock",
  alarmLaws(() => Layer.empty)
)

const onTimers: SetAlarm = (delayMs, ring) => {
  const timer = setTimeout(ring, delayMs)
  return () => clearTimeout(timer)
}

const layerOf = (setAlarm: SetAlarm): Layer.Layer<never> => Layer.succeed(Alarm, Effect.succeed(setAlarm))

describeLaws(
  "alarms on timers",
  alarmLaws(() => layerOf(onTimers))
)

describe("the laws find alarms", () => {
  let count = 0
  it.each<readonly [string, SetAlarm]>([
    ["that ring while they are set", (delayMs, ring) => (delayMs === 0 ? (ring(), () => {}) : onTimers(delayMs, ring))],
    ["that ring twice", (delayMs, ring) => onTimers(delayMs, () => (ring(), delayMs === 7 ? ring() : undefined))],
    ["that are lost now and then", (delayMs, ring) => ((count += 1) % 100 === 0 ? () => {} : onTimers(delayMs, ring))],
    ["that cannot be cancelled", (delayMs, ring) => (onTimers(delayMs, ring), () => {})],
    ["that are early", (delayMs, ring) => onTimers(delayMs / 2, ring)],
    ["in the wrong order", (delayMs, ring) => onTimers(delayMs === 15 ? 40 : delayMs, ring)]
  ])("%s", async (_, setAlarm) => {
    expect(await brokenLaws(alarmLaws(() => layerOf(setAlarm)))).not.toEqual([])
  })
})
