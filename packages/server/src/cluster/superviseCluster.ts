/** `sibyl cluster`: NATS, executors and a server on one machine, started, watched and drained together. */
import { availableParallelism } from "node:os"
import { metricList, type Series } from "@sibyl/core"
import { Effect, Scope } from "effect"
import type { ClusterConfiguration, Configuration } from "../config/configuration.ts"
import type { ServerRuntime } from "../serve/listen/listening.ts"
import { GatheredMetrics } from "../supervision/gatheredMetrics.ts"
import { superviseEdges } from "../serve/edges/superviseEdges.ts"
import { accessOf, shownInDemo } from "../serve/metrics/metricsAccess.ts"
import { logged } from "../serve/observe.ts"
import { prepare, serve } from "../serve/serve.ts"
import type { ServeSettings } from "../serve/serveSettings.ts"
import { executorOrder } from "./executorOrder.ts"
import { type ExecutorProcess, type ExecutorWatch, startExecutor } from "./executorProcess.ts"
import { keepRunning } from "../supervision/keepRunning.ts"
import { localNats } from "./natsServer.ts"

/** The cluster that the configuration names, or one with a NATS server of its own. */
const joined = ({ cluster, settings }: Configuration) =>
  Effect.gen(function* () {
    if (cluster !== undefined) return cluster
    const { values } = settings
    const own: ClusterConfiguration = {
      nats: yield* localNats,
      net: values["cluster.net"] ?? "default",
      zone: values["cluster.zone"] ?? ""
    }
    return own
  })

/** The server tells how many executors work for it; their threads would be added to them. */
const withoutWorkers = (series: ReadonlyArray<Series>): ReadonlyArray<Series> =>
  series.filter(({ name }) => name !== metricList.workersReady.name)

const clustered = (runtime: ServerRuntime, settings: ServeSettings, executors: number) =>
  Effect.gen(function* () {
    const { configuration } = settings
    const scope = yield* Effect.scope
    const outbound = yield* prepare(settings)
    const cluster = yield* joined(configuration)
    const { workers = Math.max(1, Math.floor(availableParallelism() / executors)) } = configuration
    const measures = accessOf(shownInDemo(configuration.metrics, settings.demo)) !== undefined
    const order = executorOrder({ ...configuration, cluster, measures, outbound, workers })
    const metrics = new GatheredMetrics<ExecutorProcess>(() => kept.flatMap((current) => current() ?? []))
    const watch: ExecutorWatch = {
      heard: (process, message) => metrics.heard(process, message),
      gone: (process) => metrics.gone(process)
    }
    const kept = yield* Effect.forEach(
      Array.from({ length: executors }, (_, index) => `executor ${index + 1}`),
      // In the scope of the cluster: a scope of this concurrency would end them at once.
      (name) => Scope.extend(keepRunning({ name, start: startExecutor(runtime.forkExecutor, order, watch) }), scope),
      { concurrency: "unbounded" }
    )
    const running = {
      nats: cluster.nats.servers,
      isNatsOurs: configuration.cluster === undefined,
      executors: kept.map((current) => current()?.pid),
      readMetrics: async () => (measures ? (await metrics.gather()).map(withoutWorkers) : [])
    }
    // The hosts of programs are the executors' affair, and a market that stands in for one is there already.
    const served: ServeSettings = { ...settings, live: true, configuration: { ...configuration, cluster, outbound }, running }
    return yield* configuration.edges > 1 ? superviseEdges(runtime.forkEdge, served) : serve(runtime.listen, served)
  })

/** Runs until it is interrupted; then the server ends its work first, then the executors, then NATS. */
export const superviseCluster = (runtime: ServerRuntime, settings: ServeSettings, executors: number) =>
  logged(settings.configuration, Effect.scoped(clustered(runtime, settings, executors)))
