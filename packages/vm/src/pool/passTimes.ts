/** How long passes of a program took lately: short ones are given to workers ahead. */
import { LRUCache } from "lru-cache"
import type { PassJob } from "./passJob.ts"
import { programKey } from "./poolPrograms.ts"

/** Programs whose times are remembered. */
const rememberedPrograms = 10_000

/** What a pass that took less than the ones before counts for. */
const weightOfShorter = 0.25

/** Which passes take the same time: those of the same programs in the same phases. */
export const timesKeyOf = ({ input, source, tally }: Pick<PassJob, "input" | "source" | "tally">): string => {
  const key = programKey(input.phase, source)
  return tally === undefined ? key : `${key} ${programKey("tally", tally.source)}`
}

/** A long pass is expected again at once, a short one only after several. */
export class PassTimes {
  readonly #lastMs = new LRUCache<string, number>({ max: rememberedPrograms })

  /** A worker had a pass of this key for so long, in ms. */
  note(key: string, ranMs: number): void {
    const beforeMs = this.#lastMs.get(key) ?? 0
    this.#lastMs.set(key, ranMs >= beforeMs ? ranMs : beforeMs + weightOfShorter * (ranMs - beforeMs))
  }

  /** How long a worker will have the next one, in ms; infinity if nothing is known. */
  expectedMs(key: string): number {
    return this.#lastMs.get(key) ?? Infinity
  }
}
