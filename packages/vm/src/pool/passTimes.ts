/** How long passes of a program took lately: short ones are given to workers ahead. */
import { LRUCache } from "lru-cache"
import type { PassJob } from "./passJob.ts"
import { programKey } from "./poolPrograms.ts"

/** Programs whose times are remembered. */
const rememberedPrograms = 10_000

/** What a pass that took less than the ones before counts for. */
const weightOfShorter = 0.25

const keyOf = ({ input, source, tally }: PassJob): string => {
  const key = programKey(input.phase, source)
  return tally === undefined ? key : `${key} ${programKey("tally", tally.source)}`
}

/** A long pass is expected again at once, a short one only after several. */
export class PassTimes {
  readonly #lastMs = new LRUCache<string, number>({ max: rememberedPrograms })

  /** A worker had this job for so long, in ms. */
  note(job: PassJob, ranMs: number): void {
    const key = keyOf(job)
    const beforeMs = this.#lastMs.get(key) ?? 0
    this.#lastMs.set(key, ranMs >= beforeMs ? ranMs : beforeMs + weightOfShorter * (ranMs - beforeMs))
  }

  /** How long a worker will have this job, in ms; infinity if nothing is known. What wants no worker takes no time. */
  expectedMs(job: PassJob): number {
    if (job.isAdmission === true) return 0
    return job.isCheck === true ? Infinity : (this.#lastMs.get(keyOf(job)) ?? Infinity)
  }
}
