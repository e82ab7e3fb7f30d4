/** The settings of a pool of workers, by the rules that the settings of a server have. */
import { InvalidOption } from "@sibyl/core"
import { brokenCount } from "@sibyl/core/internal"
import type { PoolSettings } from "./poolSettings.ts"

const bounds = {
  workers: [1, 1_024],
  spareWorkers: [0, 1_024],
  queueBound: [1, 1_000_000],
  cachedPrograms: [1, 100_000],
  workerMemoryMib: [64, 1_048_576]
} as const satisfies Partial<Record<keyof PoolSettings, readonly [least: number, most: number]>>

/** The names of the settings. */
export const poolNames: Readonly<Record<keyof PoolSettings, true>> = {
  workers: true,
  spareWorkers: true,
  queueBound: true,
  cachedPrograms: true,
  isolation: true,
  workerMemoryMib: true
}

/** Throws `InvalidOption` for the first setting that breaks its rule: with a number of workers that is none, every run would wait for ever. */
export const checkPool = (settings: PoolSettings): void => {
  const given: Readonly<Record<string, unknown>> = { ...settings }
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const rule = given[name] === undefined ? undefined : brokenCount(given[name], least, most)
    if (rule !== undefined) throw new InvalidOption(name, rule)
  }
  const { isolation = "thread" } = settings
  if (isolation !== "thread" && isolation !== "process") throw new InvalidOption("isolation", "must be one of thread, process")
}
