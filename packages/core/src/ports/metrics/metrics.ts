/** The port for metrics: services say what happened, whoever is installed counts it. */
import { Context } from "effect"
import type { MetricDescriptor } from "./metricDescriptor.ts"

/** Takes measurements. Nothing here may throw. */
export interface Measuring {
  /** Whether anybody counts; what is only made to be measured need not be made otherwise. */
  readonly isOn: boolean
  /** Adds to a counter, or changes a gauge by that much. `labels` in the order of the descriptor's. */
  readonly add: (metric: MetricDescriptor<"counter" | "gauge">, by: number, ...labels: ReadonlyArray<string>) => void
  /** Puts a value into a histogram. */
  readonly observe: (metric: MetricDescriptor<"histogram">, value: number, ...labels: ReadonlyArray<string>) => void
  /**
   * From now on the value is read whenever metrics are; several readers of one series are added up. What it returns ends that. Of a
   * counter, the reader tells the total.
   */
  readonly read: (metric: MetricDescriptor<"counter" | "gauge">, reader: () => number, ...labels: ReadonlyArray<string>) => () => void
}

/** Counts nothing. */
export const silent: Measuring = { isOn: false, add: () => {}, observe: () => {}, read: () => () => {} }

/** Where measurements go. Without one provided, nowhere. */
export class Metrics extends Context.Reference<Metrics>()("@sibyl/core/Metrics", { defaultValue: () => silent }) {}
