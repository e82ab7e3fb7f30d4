/** Options of a runtime that are none are refused, and named, before a worker starts. */
import { HttpFetch, ProgramRuntime } from "@sibyl/core"
import { Cause, Effect, Exit, Layer } from "effect"
import { expect, test } from "vitest"
import { Replayer } from "./replayer.ts"
import { layerProgramRuntime, type RuntimeOptions } from "./runtime.ts"

const defectOf = (opened: Effect.Effect<unknown>): unknown => {
  const exit = Effect.runSyncExit(opened)
  return Exit.isFailure(exit) ? Cause.squash(exit.cause) : "it was opened"
}

const openingOf = (options: object) =>
  Effect.scoped(Layer.build(Layer.provide(layerProgramRuntime(options as RuntimeOptions), HttpFetch.layerClosed)))

test.each<[string, object]>([
  ["workers", { workers: Number.NaN }],
  ["workers", { workers: 0 }],
  ["workers", { workers: 1.5 }],
  ["workers", { workers: "2" }],
  ["workers", { workers: 100_000 }],
  ["spareWorkers", { spareWorkers: -1 }],
  ["queueBound", { queueBound: 0 }],
  ["queueBound", { queueBound: Number.POSITIVE_INFINITY }],
  ["cachedPrograms", { cachedPrograms: 0 }],
  ["workerMemoryMib", { isolation: "process", workerMemoryMib: 0 }],
  ["isolation", { isolation: "proces" }],
  ["entropy", { entropy: () => new Uint8Array(32) }],
  ["profiling", { profiling: true }],
  ["worker", { worker: 2 }],
  ["options", null as unknown as object]
])("%s is refused: %o", (option, options) => {
  expect(defectOf(openingOf(options))).toMatchObject({ _tag: "InvalidOption", option })
})

test("a misspelled name says which was meant, also to a replayer", () => {
  const replayer = Effect.scoped(Layer.build(Replayer.layer({ wrokers: 2 } as object)))
  for (const opened of [replayer, openingOf({ wrokers: 2 })]) {
    expect(defectOf(opened)).toMatchObject({ message: "wrokers: is no option; did you mean workers?" })
  }
})

test("undefined is the default", async () => {
  const options: object = { workers: 1, spareWorkers: undefined, isolation: undefined, entropy: undefined, profiling: undefined }
  const ready = Effect.map(ProgramRuntime, ({ readyWorkers }) => readyWorkers !== undefined)
  expect(
    await Effect.runPromise(Effect.provide(ready, Layer.provide(layerProgramRuntime(options as RuntimeOptions), HttpFetch.layerClosed)))
  ).toBe(true)
})
