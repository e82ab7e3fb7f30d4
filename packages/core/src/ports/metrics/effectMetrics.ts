/** Measurements kept in Effect's metrics, which belong to the process: what exports those exports these. */
import { Metric, MetricBoundaries, MetricKey, MetricLabel, MetricState } from "effect"
import { type MetricDescriptor, openLabels, openValuesKept } from "./metricDescriptor.ts"
import { allMetrics } from "./metricList.ts"
import type { Measuring } from "./metrics.ts"

/** The value of one series now. A histogram's buckets are cumulative and lack the last one, whose bound is infinity. */
export type SeriesValue =
  | { readonly kind: "number"; readonly value: number }
  | {
      readonly kind: "histogram"
      readonly buckets: ReadonlyArray<readonly [bound: number, count: number]>
      readonly count: number
      readonly sum: number
    }

/** One series: a metric with one value of each label. Plain data, which other processes can be sent. */
export interface Series {
  readonly name: string
  readonly labels: ReadonlyArray<string>
  readonly value: SeriesValue
}

/** Measuring, and what was measured. */
export interface MetricsKept extends Measuring {
  /** Every series of these metrics, in the order of the list; gauges are read now. */
  readonly series: () => ReadonlyArray<Series>
}

interface Kept {
  readonly labels: ReadonlyArray<string>
  readonly update: (value: number) => void
  readonly value: () => SeriesValue
  /** Of a gauge, what was added to it: Effect's can only be set. Of a counter, what was read of it. */
  total: number
  readonly readers: Set<() => number>
}

const numberOf = (value: number | bigint): SeriesValue => ({ kind: "number", value: Number(value) })

const effectOf = ({ bounds, help, kind, labels, name }: MetricDescriptor, values: ReadonlyArray<string>) => {
  const tags = labels.map((label, place) => MetricLabel.make(label, values[place] ?? ""))
  const options = { description: help }
  switch (kind) {
    case "counter": {
      const metric = Metric.fromMetricKey(MetricKey.taggedWithLabels(MetricKey.counter(name, { ...options, incremental: true }), tags))
      return { update: (by: number) => metric.unsafeUpdate(by, []), value: () => numberOf(metric.unsafeValue([]).count) }
    }
    case "gauge": {
      const metric = Metric.fromMetricKey(MetricKey.taggedWithLabels(MetricKey.gauge(name, options), tags))
      return { update: (value: number) => metric.unsafeUpdate(value, []), value: () => numberOf(metric.unsafeValue([]).value) }
    }
    case "histogram": {
      const key = MetricKey.histogram(name, MetricBoundaries.fromIterable(bounds), help)
      const metric = Metric.fromMetricKey(MetricKey.taggedWithLabels(key, tags))
      const valueOf = ({ buckets, count, sum }: MetricState.MetricState.Histogram): SeriesValue => ({
        kind: "histogram",
        buckets: buckets.filter(([bound]) => Number.isFinite(bound)),
        count,
        sum
      })
      return { update: (value: number) => metric.unsafeUpdate(value, []), value: () => valueOf(metric.unsafeValue([])) }
    }
  }
}

/** The series of one metric, found by the text of their labels. */
class Family {
  readonly #descriptor: MetricDescriptor
  readonly #series = new Map<string, Kept>()
  /** For each open label, the values that are told apart. */
  readonly #known: ReadonlyArray<Set<string> | undefined>

  constructor(descriptor: MetricDescriptor) {
    this.#descriptor = descriptor
    this.#known = descriptor.labels.map((label) => (openLabels.has(label) ? new Set() : undefined))
  }

  of(labels: ReadonlyArray<string>): Kept {
    const name = labels.length === 1 ? (labels[0] ?? "") : labels.join("\n")
    return this.#series.get(name) ?? this.#new(name, labels)
  }

  /** Labels with a value too many are counted under `other`, so that this is reached again for them. */
  #new(name: string, asked: ReadonlyArray<string>): Kept {
    const labels = asked.map((value, place) => this.#within(value, this.#known[place]))
    const bounded = labels.join("\n")
    const found = this.#series.get(bounded)
    if (found !== undefined) return found
    const kept: Kept = { labels, total: 0, readers: new Set(), ...effectOf(this.#descriptor, labels) }
    this.#series.set(bounded === name ? name : bounded, kept)
    return kept
  }

  #within(value: string, known: Set<string> | undefined): string {
    if (known === undefined || known.has(value)) return value
    if (known.size >= openValuesKept) return "other"
    known.add(value)
    return value
  }

  #readInto(kept: Kept): void {
    const readSum = [...kept.readers].reduce((sum, reader) => sum + reader(), 0)
    if (this.#descriptor.kind === "gauge") return kept.update(kept.total + readSum)
    const more = Math.max(0, readSum - kept.total)
    kept.update(more)
    kept.total += more
  }

  read(): ReadonlyArray<Series> {
    const { kind, name } = this.#descriptor
    return [...this.#series.values()].map((kept) => {
      if (kind !== "histogram") this.#readInto(kept)
      return { name, labels: kept.labels, value: kept.value() }
    })
  }
}

/** Keeps measurements in the metrics of the process. Made once: two of them would count in the same series. */
export const makeEffectMetrics = (metrics: ReadonlyArray<MetricDescriptor> = allMetrics): MetricsKept => {
  const families = new Map<string, Family>()
  const familyOf = (descriptor: MetricDescriptor): Family => {
    const found = families.get(descriptor.name)
    if (found !== undefined) return found
    const family = new Family(descriptor)
    families.set(descriptor.name, family)
    return family
  }
  // What has no labels is shown from the beginning, as 0: a rate over it is defined then.
  for (const metric of metrics) if (metric.labels.length === 0) familyOf(metric).of([])
  return {
    isOn: true,
    add: (metric, by, ...labels) => {
      const kept = familyOf(metric).of(labels)
      if (metric.kind === "counter") kept.update(by)
      else kept.total += by
    },
    observe: (metric, value, ...labels) => familyOf(metric).of(labels).update(value),
    read: (metric, reader, ...labels) => {
      const { readers } = familyOf(metric).of(labels)
      readers.add(reader)
      return () => void readers.delete(reader)
    },
    series: () => [...families.values()].flatMap((family) => family.read())
  }
}
