/** What a metric is: its name and unit, what it counts, and by which labels. */

/** How a metric's values behave: a counter only grows, a gauge is what it is now, a histogram counts values by size. */
export type MetricKind = "counter" | "gauge" | "histogram"

/** One metric. Names, units and labels follow the conventions of Prometheus: base units, `_total` behind counters. */
export interface MetricDescriptor<Kind extends MetricKind = MetricKind> {
  readonly kind: Kind
  readonly name: string
  readonly help: string
  readonly labels: ReadonlyArray<string>
  /** The upper bounds of a histogram's buckets, ascending; that of the last one, infinity, is left out. */
  readonly bounds: ReadonlyArray<number>
  /** What the values of several processes of one server give together. Default: their sum. */
  readonly across?: "max" | "min"
}

/** Labels whose values come from outside: each has a bounded number of values, the rest are `other`. */
export const openLabels: ReadonlySet<string> = new Set(["host", "program"])

/** The values of an open label that are told apart. */
export const openValuesKept = 50

/** Bounds in seconds, from a remembered answer to the longest run, with those that objectives are set at. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Bounds in seconds of what should take next to no time. */
const shortDurations = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5]

const counts = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 256]

/** A metric that only grows. */
export const counter = (name: string, help: string, labels: ReadonlyArray<string> = []): MetricDescriptor<"counter"> => ({
  kind: "counter",
  name,
  help,
  labels,
  bounds: []
})

/** A metric of what is now. */
export const gauge = (
  name: string,
  help: string,
  labels: ReadonlyArray<string> = [],
  across?: "max" | "min"
): MetricDescriptor<"gauge"> => ({
  kind: "gauge",
  name,
  help,
  labels,
  bounds: [],
  ...(across === undefined ? {} : { across })
})

/** Values by size. */
export const histogram = (
  name: string,
  help: string,
  labels: ReadonlyArray<string>,
  bounds: ReadonlyArray<number>
): MetricDescriptor<"histogram"> => ({ kind: "histogram", name, help, labels, bounds })

/** Durations in seconds. */
export const duration = (name: string, help: string, labels: ReadonlyArray<string> = []): MetricDescriptor<"histogram"> =>
  histogram(name, help, labels, durations)

/** Durations in seconds of what should be over at once. */
export const shortDuration = (name: string, help: string, labels: ReadonlyArray<string> = []): MetricDescriptor<"histogram"> =>
  histogram(name, help, labels, shortDurations)

/** Small whole numbers. */
export const size = (name: string, help: string, labels: ReadonlyArray<string> = []): MetricDescriptor<"histogram"> =>
  histogram(name, help, labels, counts)
