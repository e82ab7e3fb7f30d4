/** What `sibyl serve` and `sibyl cluster` serve with. */
import type { Configuration } from "../config/configuration.ts"
import type { ReadMetrics } from "./metrics/serveMetrics.ts"

/** What `sibyl cluster` has started for the server. */
export interface RunningCluster {
  readonly nats: ReadonlyArray<string>
  /** Whether NATS was started with it. */
  readonly isNatsOurs: boolean
  /** The processes of the executors. */
  readonly executors: ReadonlyArray<number | undefined>
  /** What those have measured. */
  readonly readMetrics: ReadMetrics
}

/** The options of `sibyl serve`. */
export interface ServeSettings {
  readonly configuration: Configuration
  readonly demo: boolean
  readonly live: boolean
  /** Whether to print one JSON document for scripts. */
  readonly json: boolean
  /** With `sibyl cluster`. */
  readonly running?: RunningCluster
}
