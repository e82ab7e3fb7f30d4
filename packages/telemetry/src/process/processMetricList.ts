/** The metrics of a process, under the names that Prometheus' own clients give them where there are such. */
import { counter, gauge, histogram, type MetricDescriptor, shortDuration } from "@sibyl/core"

/** Bounds in seconds of collections, which take from tenths of a millisecond to seconds. */
const collections = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/** The metrics by what they measure. */
export const processMetricList = {
  cpuSeconds: counter("process_cpu_seconds_total", "Processor time of all threads, user and system."),
  residentBytes: gauge("process_resident_memory_bytes", "Resident memory."),
  startTime: gauge("process_start_time_seconds", "When the process started, since the Unix epoch.", [], "max"),
  openFds: gauge("process_open_fds", "Open file descriptors; absent where the system does not tell."),
  maxFds: gauge("process_max_fds", "How many file descriptors may be open; absent where the system does not tell."),
  heapBytes: gauge("sibyl_heap_used_bytes", "Memory in use in the heap of the main thread."),
  externalBytes: gauge("sibyl_external_memory_bytes", "Memory of buffers outside of the heap."),
  loopDelay: shortDuration("sibyl_event_loop_delay_seconds", "How late a timer of the main thread rang, looked at ten times a second."),
  gcSeconds: histogram("sibyl_gc_duration_seconds", "Collections of the main thread, by kind; Node only.", ["kind"], collections),
  pushed: counter(
    "sibyl_telemetry_items_total",
    "Spans, log records and readings of all metrics that were made for a collector: `sent` or `dropped`.",
    ["signal", "outcome"]
  )
} as const satisfies Readonly<Record<string, MetricDescriptor>>

/** All of them. */
export const processMetrics: ReadonlyArray<MetricDescriptor> = Object.values(processMetricList)
