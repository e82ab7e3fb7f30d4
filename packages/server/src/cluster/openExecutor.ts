/** Opens an executor: it runs what edges send, under the outbound policy of its own configuration. */
import { Entropy, Metrics } from "@sibyl/core"
import { layerHttpFetch, type OutboundOptions } from "@sibyl/vm/http"
import { Cause, Context, Effect, FiberRef, HashSet, Layer, Logger, Redacted } from "effect"
import type { ClusterConfiguration, Configuration, MetricsConfiguration } from "../config/configuration.ts"
import { given } from "../config/given.ts"
import { clusterFailure } from "../output/clusterFailure.ts"
import { CommandFailed, InvalidConfiguration } from "../output/failure.ts"
import { serverVersion } from "../output/version.ts"
import { accessOf, noMetrics } from "../serve/metrics/metricsAccess.ts"
import { listenForMetrics, readOwn } from "../serve/metrics/serveMetrics.ts"
import { lowestLevel } from "../serve/keptEntries.ts"
import { type ObservedConfiguration, observe } from "../serve/observe.ts"
import { layerLogLevel } from "../service/logLevels.ts"
import { measuring } from "../service/measuring.ts"

/** What an executor needs to know. */
export interface ExecutorSettings extends Pick<
  Configuration,
  "workers" | "isolation" | "workerMemoryMib" | "places" | "logFormat" | "logLevel" | "logLevels" | "otlp"
> {
  readonly cluster: ClusterConfiguration
  readonly outbound: OutboundOptions
  /** Absent: it shows no metrics of its own. */
  readonly metrics?: MetricsConfiguration
  /** Whether to measure for whoever started it. */
  readonly measures?: boolean
}

/** Hosts and origins of the outbound options are checked where they are used. */
const failureOf = (cause: Cause.Cause<unknown>): CommandFailed | InvalidConfiguration => {
  const error = Cause.squash(cause)
  const text = error instanceof Error ? error.message : String(error)
  return (
    clusterFailure(error) ??
    (error instanceof TypeError
      ? new InvalidConfiguration({ field: "outbound", rule: "hosts and origins", message: `outbound: ${text}` })
      : new CommandFailed({ message: `cannot start an executor: ${text}` }))
  )
}

/** What its log and its collector need to know; it has no database. */
export const observedOf = ({ metrics = noMetrics, ...settings }: ExecutorSettings): ObservedConfiguration => ({
  ...settings,
  metrics,
  database: Redacted.make("")
})

/** Whoever opens an executor has a log already. The executor's layer has one, too, beside which that would write each line again. */
const withoutOuterLog = Effect.locally(FiberRef.currentLoggers, HashSet.make(Logger.defaultLogger, Logger.tracerLogger))

/** Works until the scope closes; then it takes no more, and ends what it has. Its code is loaded only now. */
export const openExecutor = (settings: ExecutorSettings) =>
  Effect.gen(function* () {
    const { cluster, metrics = noMetrics, isolation, outbound, places, workerMemoryMib, workers } = settings
    const { Executor, NatsConnection } = yield* Effect.promise(() => import("@sibyl/cluster"))
    const { nats, net, zone } = cluster
    const access = accessOf(metrics)
    const isMeasured = access !== undefined || settings.otlp !== undefined || settings.measures === true
    const layerMetrics = isMeasured ? Layer.succeed(Metrics, measuring()) : Layer.empty
    const observing = yield* observe(observedOf(settings))
    const layer = Executor.layer({ net, zone, version: serverVersion, isolation, ...given({ places, workers, workerMemoryMib }) }).pipe(
      Layer.provide([NatsConnection.layer({ name: "sibyl executor", ...nats }), layerHttpFetch(outbound), Entropy.layer]),
      Layer.provide([layerMetrics, observing, layerLogLevel(lowestLevel(settings))])
    )
    const context = yield* Effect.catchAllCause(withoutOuterLog(Layer.build(layer)), (cause) => Effect.fail(failureOf(cause)))
    const { id } = Context.get(context, Executor)
    if (access === undefined || metrics.own === undefined) return { id, metrics: undefined }
    return { id, metrics: yield* listenForMetrics(metrics.own, { access, read: readOwn }) }
  })
