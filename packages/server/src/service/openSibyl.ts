/** Opens Sibyl in one call, for servers that embed it without composing its layers. */
import { FeedRelay, localNetwork, Metrics, openService, SharedLimits } from "@sibyl/core"
import type { ConnectWriter } from "@sibyl/sql"
import { metricsTextOf } from "@sibyl/telemetry"
import { loadFastKeccak256 } from "@sibyl/vm"
import { AccessLog, layerWholeMilliseconds } from "@sibyl/core/internal"
import { Cause, Context, Effect, Exit, Fiber, Layer, ManagedRuntime } from "effect"
import { checkedOptions, serviceOptionsIn } from "./checkedOptions.ts"
import { keepRunsYoung } from "./keepRunsYoung.ts"
import { type DeploymentPorts, layerPorts } from "./ports.ts"
import { type Sibyl, SibylClosed } from "./sibyl.ts"
import type { SibylOptions } from "./sibylOptions.ts"
import { operatorCalls } from "./operatorCalls.ts"
import { measuring } from "./measuring.ts"
import { layerRuntimeAlarm } from "./runtimeAlarm.ts"
import { followAuditTrail } from "./followAuditTrail.ts"
import { layerLogLevel } from "./logLevels.ts"
import { layerTurnScheduler } from "./turnScheduler.ts"

/** What several processes of one server share. */
export interface SharedParts {
  /** Whether this one does what is done once for all of them. */
  readonly isFirst: boolean
  readonly limits: Layer.Layer<SharedLimits>
  /** The way to the other processes, for feeds that are shared with no other server. */
  readonly feedRelay: Layer.Layer<FeedRelay>
  /** The way to the one that writes to a SQLite file. */
  readonly connectWriter: ConnectWriter
}

/** Rejects with the error itself, which `runPromise` would wrap. */
const orItsError = <A, E>(exit: Exit.Exit<A, E>): Promise<A> =>
  Exit.match(exit, { onSuccess: (value) => Promise.resolve(value), onFailure: (cause) => Promise.reject(Cause.squash(cause)) })

/** Opens the database, starts the workers and answers the running Sibyl. Rejects with `InvalidOption` for an option that breaks its rule. */
export const openSibyl = async (chosen: SibylOptions): Promise<Sibyl> => openSibylOver(checkedOptions(chosen))

/** The same as one of several processes. */
export const openSibylOver = async (chosen: SibylOptions, shared?: SharedParts): Promise<Sibyl> => {
  keepRunsYoung()
  await loadFastKeccak256()
  const { feedRelay, logLevel, logRequests = false, metrics = false, observing = Layer.empty, network = localNetwork, ...options } = chosen
  const layerAccessLog = Layer.succeed(AccessLog, AccessLog.toLoggers(logRequests))
  const layerMetrics = metrics ? Layer.succeed(Metrics, measuring()) : Layer.empty
  const layerSettings = Layer.provideMerge(
    layerWholeMilliseconds(),
    Layer.mergeAll(layerTurnScheduler(), layerRuntimeAlarm, layerLogLevel(logLevel), layerMetrics, layerAccessLog, observing)
  )
  const ports = ManagedRuntime.make(Layer.provideMerge(layerPorts({ ...options, network }, shared?.connectWriter), layerSettings))
  const { context } = await orItsError(await Effect.runPromiseExit(ports.runtimeEffect))
  const ownRelay = Context.get(context, FeedRelay)
  // Of several ways, the one that leads furthest.
  const layerRelay = feedRelay ?? (ownRelay.scope === undefined ? shared?.feedRelay : undefined) ?? Layer.succeed(FeedRelay, ownRelay)
  const service = await openService(
    { ...serviceOptionsIn(options), network },
    Layer.mergeAll(Layer.succeedContext(context), shared?.limits ?? SharedLimits.layerAlone, layerRelay, layerSettings)
  ).catch(async (error: unknown) => {
    await ports.dispose()
    throw error
  })
  const following = logRequests && (shared?.isFirst ?? true) ? ports.runFork(followAuditTrail) : undefined
  let isClosed = false
  const run = async <A, E>(effect: Effect.Effect<A, E, DeploymentPorts>): Promise<A> => {
    if (isClosed) throw new SibylClosed()
    return orItsError(await ports.runPromiseExit(effect))
  }
  return {
    service,
    ...operatorCalls(run),
    readMetrics: () => Promise.resolve(metrics ? [measuring().series()] : []),
    metricsText: () => (metrics ? metricsTextOf([measuring().series()]) : ""),
    close: async () => {
      await service.dispose()
      if (following !== undefined) await Effect.runPromise(Fiber.interrupt(following))
      isClosed = true
      await ports.dispose()
    }
  }
}
