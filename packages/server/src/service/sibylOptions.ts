/** What an embedder opens Sibyl with. */
import type { FeedRelay, ServiceOptions } from "@sibyl/core"
import type { Layer } from "effect"
import type { Deployment } from "./ports.ts"

/** All options of a service; only the database is required. */
export type SibylOptions = Pick<Deployment, "database"> &
  Partial<Omit<Deployment, "database">> &
  Omit<Partial<ServiceOptions>, "network"> & {
    /** The way to other servers on the same PostgreSQL, with which shared feeds are shared (decision D48): `layerNatsFeedRelay` of `@sibyl/cluster`. */
    readonly feedRelay?: Layer.Layer<FeedRelay>
    /**
     * Whether to measure: runs, feeds, credits, upstreams, and the process. `metricsText` and `withMetrics` of `@sibyl/telemetry` show
     * it. All services of one process are measured together. Default false.
     */
    readonly metrics?: boolean
    /** What observes the service, as Effect has it: loggers, a tracer. Default: Effect's own logger, and no tracer. */
    readonly observing?: Layer.Layer<never>
    /** Whether each request and each run is a line of the log. Default false. */
    readonly logRequests?: boolean
  }
