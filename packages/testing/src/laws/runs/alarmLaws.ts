/** The laws of alarms: each rings once, at its time and in order, unless it was cancelled. */
import { Alarm, type SetAlarm } from "@sibyl/core/internal"
import { Effect, type Layer } from "effect"
import { holdsThat, isEqual, type Law, type LawBroken } from "../form/law.ts"
import { plainLaws } from "../form/plainLaws.ts"

type Body = Effect.Effect<void, LawBroken>

const withAlarms = (use: (setAlarm: SetAlarm) => Promise<void>): Effect.Effect<void> =>
  Effect.flatMap(Effect.flatten(Alarm), (setAlarm) => Effect.promise(() => use(setAlarm)))

/** Resolves when an alarm after so many ms has rung: every earlier one has rung by then. */
const after = (setAlarm: SetAlarm, ms: number): Promise<void> => new Promise((resolve) => void setAlarm(ms, resolve))

const ringsInOrder: Body = Effect.gen(function* () {
  const rung: Array<string> = []
  let before = -1
  yield* withAlarms(async (setAlarm) => {
    setAlarm(30, () => rung.push("30"))
    setAlarm(15, () => rung.push("15"))
    setAlarm(0, () => rung.push("0"))
    setAlarm(0, () => rung.push("0, too"))
    before = rung.length
    await after(setAlarm, 60)
  })
  yield* isEqual(before, 0, "alarms that rang while they were set")
  yield* isEqual(rung, ["0", "0, too", "15", "30"], "the order of alarms")
})

const ringsOnce: Body = Effect.gen(function* () {
  const counts = Array.from({ length: 1_000 }, () => 0)
  yield* withAlarms(async (setAlarm) => {
    for (const at of counts.keys()) setAlarm(at % 20, () => void (counts[at] = (counts[at] ?? 0) + 1))
    await after(setAlarm, 120)
  })
  yield* isEqual(counts.filter((count) => count !== 1).length, 0, "of a thousand alarms, those that did not ring exactly once")
})

const cancels: Body = Effect.gen(function* () {
  const rung: Array<string> = []
  yield* withAlarms(async (setAlarm) => {
    setAlarm(0, () => rung.push("cancelled at once"))()
    const cancel = setAlarm(20, () => rung.push("cancelled by an earlier one"))
    setAlarm(5, cancel)
    const late = setAlarm(0, () => rung.push("not cancelled"))
    await after(setAlarm, 60)
    late()
    late()
    await after(setAlarm, 10)
  })
  yield* isEqual(rung, ["not cancelled"], "the alarms that rang")
})

/** More than once, because one that is early looks punctual if the machine stands still meanwhile. */
const isNotEarly: Body = Effect.gen(function* () {
  const tookMs: Array<number> = []
  yield* withAlarms(async (setAlarm) => {
    for (let at = 0; at < 5; at += 1) {
      const startMs = performance.now()
      await after(setAlarm, 50)
      tookMs.push(performance.now() - startMs)
    }
  })
  // Timers count whole milliseconds.
  yield* holdsThat(Math.min(...tookMs) >= 48, `alarms after 50 ms do not ring after ${tookMs.join(", ")} ms`)
})

const setsInside: Body = Effect.gen(function* () {
  let rings = 0
  yield* withAlarms(
    (setAlarm) =>
      new Promise((resolve) => {
        const ring = (): void => {
          rings += 1
          if (rings === 50) resolve()
          else setAlarm(0, ring)
        }
        setAlarm(0, ring)
      })
  )
  yield* isEqual(rings, 50, "alarms that were set by the one before")
})

const bodies: Readonly<Record<string, Body>> = {
  "alarms ring the earlier first, equal ones as they were set, and none while it is set": ringsInOrder,
  "each of a thousand alarms rings exactly once": ringsOnce,
  "a cancelled alarm does not ring, and cancelling one that has rung changes nothing": cancels,
  "no alarm is early": isNotEarly,
  "an alarm may set the next one": setsInside
}

/** The laws over alarms from `makeAlarm`, a layer that provides `Alarm`. */
export const alarmLaws = (makeAlarm: () => Layer.Layer<never>): ReadonlyArray<Law> => plainLaws(bodies, makeAlarm)
