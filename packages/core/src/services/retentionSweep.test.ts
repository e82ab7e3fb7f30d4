/** The sweep of old reports: at the start and every hour, in batches, and continued after a store failure. */
import { makeSimClock, makeSimRuntime } from "@sibyl/testing"
import { Effect, Layer, Logger } from "effect"
import { expect, test } from "vitest"
import { Entropy } from "../ports/entropy.ts"
import { layerMemoryStores } from "../ports/memory/memoryStores.ts"
import { Network } from "../ports/network.ts"
import { Retention } from "../ports/retention.ts"
import { layerRetentionSweep, sweepIntervalMs } from "./retentionSweep.ts"
import { Options, resolveOptions, type ServiceOptions } from "./settings/serviceOptions.ts"

const network = { name: "testnet", chainId: "seda-1-testnet" }
const dayMs = 86_400_000
const startMs = Date.UTC(2026, 0, 1)

/** What a sweep asked for, and when. */
interface Asked {
  readonly atMs: number
  readonly beforeMs: number
}

/** Durable feeds without any run. */
const noFeeds = layerMemoryStores.pipe(Layer.provide(Layer.merge(Entropy.layer, Network.layer(network))))

/** A store with `old` reports to delete at every sweep, and a sweep with its own clock. */
const open = (options: Partial<ServiceOptions>, old: () => number) => {
  const clock = makeSimClock(startMs)
  const asked: Array<Asked> = []
  const trimmed: Array<number> = []
  let left = 0
  const store = Layer.succeed(Retention, {
    sweep: (beforeMs, maxReports) =>
      Effect.sync(() => {
        if (left === 0) left = old()
        asked.push({ atMs: clock.nowMs(), beforeMs: startMs + clock.nowMs() - beforeMs })
        const gone = Math.min(left, maxReports)
        left -= gone
        return gone
      }),
    trim: (keptOfProject) => Effect.sync(() => void trimmed.push(keptOfProject)).pipe(Effect.as(0))
  })
  const { close } = makeSimRuntime(
    clock,
    layerRetentionSweep.pipe(
      Layer.provide(Layer.merge(noFeeds, store)),
      Layer.provide(Layer.succeed(Options, resolveOptions({ network, ...options }))),
      Layer.provide(Logger.remove(Logger.defaultLogger))
    )
  )
  return { asked, trimmed, clock, close }
}

test("sweeps what is older than 30 days, at the start and every hour", () => {
  const { asked, clock, close } = open({}, () => 0)
  clock.advance(2.5 * sweepIntervalMs)
  expect(asked).toEqual([0, 1, 2].map((hour) => ({ atMs: hour * sweepIntervalMs, beforeMs: 30 * dayMs })))
  close()
})

test("deletes in batches until none is left, with pauses between them", () => {
  const { asked, clock, close } = open({ retentionMs: dayMs }, () => 1_200)
  clock.advance(sweepIntervalMs / 2)
  // Older than a day at the moment when the sweep began.
  expect(asked).toEqual([0, 100, 200].map((atMs) => ({ atMs, beforeMs: dayMs + atMs })))
  close()
})

test("never sweeps when reports are kept for ever", () => {
  const { asked, clock, close, trimmed } = open({ retentionMs: null, reportsPerProject: null }, () => 1)
  clock.advance(3 * sweepIntervalMs)
  expect([asked, trimmed]).toEqual([[], []])
  close()
})

test("enforces every project's limit as often, also without a retention period", () => {
  const { asked, clock, close, trimmed } = open({ retentionMs: null, reportsPerProject: 9 }, () => 1)
  clock.advance(2.5 * sweepIntervalMs)
  expect([asked, trimmed]).toEqual([[], [9, 9, 9]])
  close()
})

test("retries an hour later after a store failure", () => {
  let failures = 0
  const { asked, clock, close } = open({}, () => {
    failures += 1
    if (failures < 3) throw new Error("the disk is gone")
    return 0
  })
  clock.advance(2.5 * sweepIntervalMs)
  expect(failures).toBe(3)
  expect(asked.map(({ atMs }) => atMs)).toEqual([2 * sweepIntervalMs])
  close()
})
