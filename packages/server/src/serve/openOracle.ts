/** Opens a configured service and listens for it. */
import { defaultLimits } from "@sibyl/core"
import { examplePrograms, programIdOf } from "@sibyl/programs"
import type { OutboundOptions } from "@sibyl/vm/http"
import { Cause, Effect, Runtime } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { given } from "../config/given.ts"
import { clusterFailure } from "../output/clusterFailure.ts"
import { CommandFailed, type InvalidConfiguration } from "../output/failure.ts"
import { optionFault } from "../output/optionFault.ts"
import { serverVersion } from "../output/version.ts"
import { openSibylOver, type SharedParts } from "../service/openSibyl.ts"
import type { Sibyl } from "../service/sibyl.ts"
import type { Deployment } from "../service/ports.ts"
import { sqliteFileOf } from "../service/stores.ts"
import { accessOf } from "./metrics/metricsAccess.ts"
import { type ReadMetrics, readOwn, serveMetrics } from "./metrics/serveMetrics.ts"
import { isTold, lowestLevel } from "./keptEntries.ts"
import { observe } from "./observe.ts"
import { consoleBeside } from "./listen/consoleBeside.ts"
import { docsAtRoot } from "./listen/docsAtRoot.ts"
import type { Address, Listen } from "./listen/listening.ts"
import { watchOpenFiles } from "./watchOpenFiles.ts"

/** What a service needs of the configuration. */
export type ServiceConfiguration = Omit<Configuration, "settings" | "file">

/** Every option of a deployment that may be left out; the type demands that a new one is passed on. */
type PlainOption = Exclude<keyof Deployment, "network" | "database" | "tariff" | "outbound">

/** The database in words: its file, or that it is a PostgreSQL. */
export const databaseText = ({ database }: Pick<Configuration, "database">): string => sqliteFileOf(database) ?? "PostgreSQL"

/** Why the service could not be opened: it validates the outbound options, the rest of the configuration is checked before. */
const cannotOpen = (configuration: ServiceConfiguration, rejection: unknown): CommandFailed | InvalidConfiguration => {
  const cause = Runtime.isFiberFailure(rejection) ? Cause.squash(rejection[Runtime.FiberFailureCauseId]) : rejection
  const text = cause instanceof Error ? cause.message : String(cause)
  return (
    clusterFailure(cause) ?? optionFault(cause) ?? new CommandFailed({ message: `cannot open ${databaseText(configuration)}: ${text}` })
  )
}

/** The example programs with their inputs: the documentation shows the first that is deployed. Unbuilt ones have no id. */
const exampleRequests = Effect.promise(() =>
  Promise.all(examplePrograms.map(async ({ inputs, name }) => ({ execProgramId: await programIdOf(name), execInputs: inputs }))).catch(
    () => []
  )
)

/** Opens the service of a configuration; it is closed with the scope, after its running work. */
export const openOracle = (configuration: ServiceConfiguration, outbound: OutboundOptions, shared?: SharedParts) =>
  Effect.gen(function* () {
    const examples = yield* exampleRequests
    const observing = yield* observe(configuration)
    yield* Effect.forkScoped(Effect.provide(watchOpenFiles, observing))
    return yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () =>
          openSibylOver(
            {
              ...configuration.service,
              database: configuration.database,
              tariff: configuration.tariff,
              outbound,
              serverVersion,
              exampleRequests: examples,
              metrics: accessOf(configuration.metrics) !== undefined || configuration.otlp !== undefined,
              observing,
              logRequests: isTold(configuration, "requests", "info") || isTold(configuration, "runs", "info"),
              ...given({
                databaseConnections: configuration.databaseConnections,
                workers: configuration.workers,
                isolation: configuration.isolation,
                workerMemoryMib: configuration.workerMemoryMib,
                signInThreads: configuration.signInThreads,
                cluster: configuration.cluster,
                logLevel: lowestLevel(configuration)
              } satisfies Record<PlainOption, unknown>)
            },
            shared
          ),
        catch: (rejection) => cannotOpen(configuration, rejection)
      }),
      (opened) => Effect.promise(() => opened.close())
    )
  })

/** Listens for an open service. When the scope closes, running work ends first, then the server stops. */
export const listenFor = (
  listen: Listen,
  oracle: Sibyl,
  configuration: ServiceConfiguration,
  { isEdge = false, read = readOwn }: { readonly read?: ReadMetrics; readonly isEdge?: boolean } = {}
) =>
  Effect.gen(function* () {
    const { edges, host, port, prefix } = configuration
    const { bodyMs } = { ...defaultLimits, ...configuration.service.limits }
    const address: Address = { host, port, prefix, bodyMs, edges }
    const { isBeside, service, url } = yield* serveMetrics(
      yield* consoleBeside(docsAtRoot(oracle.service, prefix), configuration.console),
      configuration.metrics,
      read,
      isEdge
    )
    const listening = yield* listen(service, address)
    // Runs first on the way out: while running work ends, health says so; only then does the server stop listening.
    yield* Effect.addFinalizer(() => Effect.promise(() => oracle.service.dispose()))
    const metrics = isBeside ? `${listening.url}/metrics` : url
    return { ...listening, ...(metrics === undefined ? {} : { metrics }) }
  })
