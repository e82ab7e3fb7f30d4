/** Quantiles of what a histogram has counted between two scrapes. */
import { increases, type Interval, type Labels, samplesOf } from "./changes.ts"
import type { Sample } from "./exposition.ts"

/** What was counted up to a bound. */
interface Bucket {
  readonly upTo: number
  /** Also counts what is below lower bounds. */
  readonly count: number
}

/** Where a bucket has fewer than before, all of them began again: the others may have passed their old counts by now. */
const countsOf = (interval: Interval, name: string, labels: Labels): ReadonlyArray<Sample> => {
  const fromNothing = { ...interval, before: { samples: [] } }
  const all = increases(fromNothing, name, labels)
  const grown = increases(interval, name, labels)
  const before = samplesOf(interval.before, name, labels)
  const isReset = before.length > 0 && sum(grown) !== sum(all) - sum(before)
  return isReset ? all : grown
}

const sum = (samples: ReadonlyArray<Sample>): number => samples.reduce((total, { value }) => total + value, 0)

const bucketsOf = (interval: Interval, name: string, labels: Labels): ReadonlyArray<Bucket> => {
  const counts = new Map<number, number>()
  for (const { labels: own, value } of countsOf(interval, `${name}_bucket`, labels)) {
    const bound = own["le"] === "+Inf" ? Infinity : Number(own["le"])
    counts.set(bound, (counts.get(bound) ?? 0) + value)
  }
  return [...counts].map(([upTo, count]) => ({ upTo, count })).toSorted((one, two) => one.upTo - two.upTo)
}

/**
 * The value below which a part of the observations lies, from 0 to 1: within its bucket they are taken to be spread evenly. What is beyond
 * the last bound is that bound. `undefined` if nothing was observed.
 */
export const quantile = (interval: Interval, name: string, part: number, labels: Labels = {}): number | undefined => {
  const buckets = bucketsOf(interval, name, labels)
  const total = buckets.at(-1)?.count ?? 0
  if (total <= 0) return undefined
  const rank = part * total
  const at = buckets.findIndex(({ count }) => count >= rank)
  const bucket = buckets[at]
  const below = buckets[at - 1] ?? { upTo: 0, count: 0 }
  if (bucket === undefined || bucket.upTo === Infinity) return buckets.findLast(({ upTo }) => upTo !== Infinity)?.upTo
  const inside = bucket.count - below.count
  const lowest = bucket.upTo <= 0 ? bucket.upTo : below.upTo
  return inside <= 0 ? bucket.upTo : lowest + ((bucket.upTo - lowest) * (rank - below.count)) / inside
}
