/** What several processes of one server have measured, as one. */
import type { MetricDescriptor, Series, SeriesValue } from "@sibyl/core"

const together = (across: MetricDescriptor["across"], left: number, right: number): number =>
  across === "max" ? Math.max(left, right) : across === "min" ? Math.min(left, right) : left + right

const bothOf = (across: MetricDescriptor["across"], left: SeriesValue, right: SeriesValue): SeriesValue => {
  if (left.kind === "number" && right.kind === "number") return { kind: "number", value: together(across, left.value, right.value) }
  if (left.kind === "number" || right.kind === "number") return left
  // All processes of a server have the same bounds.
  const buckets = left.buckets.map(([bound, count], at) => [bound, count + (right.buckets[at]?.[1] ?? 0)] as const)
  return { kind: "histogram", buckets, count: left.count + right.count, sum: left.sum + right.sum }
}

/** One series for each metric and labels: counters and histograms add up, gauges do as their descriptor says. */
export const mergeSeries = (
  descriptors: ReadonlyArray<MetricDescriptor>,
  ofProcesses: ReadonlyArray<ReadonlyArray<Series>>
): ReadonlyArray<Series> => {
  const acrossOf = new Map(descriptors.map(({ across, name }) => [name, across]))
  const merged = new Map<string, Series>()
  for (const series of ofProcesses.flat()) {
    const key = JSON.stringify([series.name, ...series.labels])
    const found = merged.get(key)
    merged.set(key, found === undefined ? series : { ...found, value: bothOf(acrossOf.get(series.name), found.value, series.value) })
  }
  return [...merged.values()]
}
