/** Alarms by the runtime's timers behave like those on Effect's clock. */
import { Alarm } from "@sibyl/core/internal"
import { Effect, Layer, ManagedRuntime } from "effect"
import { describe, expect, test } from "vitest"
import { layerRuntimeAlarm } from "./runtimeAlarm.ts"

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe.each([
  { name: "Effect's clock", layer: Layer.empty },
  { name: "the runtime's timers", layer: layerRuntimeAlarm }
])("alarms on $name", ({ layer }) => {
  test("ring once each, the earlier first, and not when they were cancelled", async () => {
    const runtime = ManagedRuntime.make(layer)
    const setAlarm = await runtime.runPromise(Effect.flatten(Alarm))
    const rung: Array<string> = []
    const all = new Promise<void>((resolve) => {
      setAlarm(40, () => resolve())
    })
    setAlarm(20, () => rung.push("second"))
    setAlarm(0, () => rung.push("first"))
    setAlarm(10, () => rung.push("cancelled"))()
    const cancel = setAlarm(0, () => rung.push("first, too"))
    expect(rung).toEqual([])
    await all
    cancel()
    await rest(20)
    expect(rung).toEqual(["first", "first, too", "second"])
    await runtime.dispose()
  })
})
