/** Measures this process: processor time, memory, event loop, collections. */
import { constants, PerformanceObserver } from "node:perf_hooks"
import type { Measuring, MetricDescriptor } from "@sibyl/core"
import { mostOpenFiles, openFiles } from "./openFiles.ts"
import { processMetricList } from "./processMetricList.ts"

/** How often the event loop is looked at. */
const lookMs = 100

const collectionKinds: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weak callbacks"]
])

const observeCollections = (metrics: Measuring): (() => void) => {
  // Bun has no entries of this kind, and types of the browser know of none.
  const { supportedEntryTypes = [] } = PerformanceObserver as { readonly supportedEntryTypes?: ReadonlyArray<string> }
  if (!supportedEntryTypes.includes("gc")) return () => {}
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as { readonly detail?: { readonly kind?: number } }
      metrics.observe(processMetricList.gcSeconds, entry.duration / 1000, collectionKinds.get(detail?.kind ?? -1) ?? "other")
    }
  })
  observer.observe({ entryTypes: ["gc"] })
  return () => observer.disconnect()
}

const watchLoop = (metrics: Measuring): (() => void) => {
  let dueMs = performance.now() + lookMs
  const timer = setInterval(() => {
    const nowMs = performance.now()
    metrics.observe(processMetricList.loopDelay, Math.max(0, nowMs - dueMs) / 1000)
    dueMs = nowMs + lookMs
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** A gauge that is absent where the system does not tell its value. */
const readIfTold = (metrics: Measuring, gauge: MetricDescriptor<"gauge">, read: () => number | undefined): ReadonlyArray<() => void> =>
  read() === undefined ? [] : [metrics.read(gauge, () => read() ?? 0)]

/** Measures from now on until what it returns is called. */
export const measureProcess = (metrics: Measuring): (() => void) => {
  if (!metrics.isOn) return () => {}
  const startedAtSeconds = Math.round(Date.now() / 1000 - process.uptime())
  const { read } = metrics
  const ends = [
    read(processMetricList.cpuSeconds, () => {
      const { system, user } = process.cpuUsage()
      return (system + user) / 1e6
    }),
    read(processMetricList.residentBytes, () => process.memoryUsage.rss()),
    read(processMetricList.startTime, () => startedAtSeconds),
    ...readIfTold(metrics, processMetricList.openFds, openFiles),
    ...readIfTold(metrics, processMetricList.maxFds, mostOpenFiles),
    read(processMetricList.heapBytes, () => process.memoryUsage().heapUsed),
    read(processMetricList.externalBytes, () => process.memoryUsage().external),
    watchLoop(metrics),
    observeCollections(metrics)
  ]
  return () => {
    for (const end of ends) end()
  }
}
