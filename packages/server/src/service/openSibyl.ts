/** Opens Sibyl in one call, for servers that embed it without composing its layers. */
import {
  type Balance,
  DataProxies,
  type DataProxy,
  type DataProxyInput,
  FeedRelay,
  InvalidOption,
  type IssuedKey,
  Keys,
  localNetwork,
  Metrics,
  type NamedProgram,
  type NewKey,
  type NewProject,
  openService,
  ProgramStore,
  type Project,
  Provisioning,
  type Rotation,
  type Series,
  type Service,
  SharedLimits
} from "@sibyl/core"
import type { ConnectWriter } from "@sibyl/sql"
import { metricsTextOf } from "@sibyl/telemetry"
import { loadFastKeccak256 } from "@sibyl/vm"
import { AccessLog, checkNames, layerWholeMilliseconds } from "@sibyl/core/internal"
import { Cause, Context, Effect, Exit, Fiber, Layer, ManagedRuntime, Redacted } from "effect"
import { checkedOptions, serviceOptionsIn } from "./checkedOptions.ts"
import { ensureProject, type EnsuredProject, type EnsureProjectOptions } from "./project/ensureProject.ts"
import { keepRunsYoung } from "./keepRunsYoung.ts"
import { checkId, ensuredNames, keyNames, projectNames, proxyNames, rotationNames } from "./knownNames.ts"
import { giveName } from "./giveName.ts"
import { type DeploymentPorts, layerPorts } from "./ports.ts"
import type { SibylOptions } from "./sibylOptions.ts"
import { measuring } from "./measuring.ts"
import { whyNoPhase } from "./phaseRefusals.ts"
import { layerRuntimeAlarm } from "./runtimeAlarm.ts"
import { followAuditTrail } from "./followAuditTrail.ts"
import { layerLogLevel } from "./logLevels.ts"
import { layerTurnScheduler } from "./turnScheduler.ts"

/** A new key: shown here once, stored as a hash. */
export interface ShownKey {
  /** Names the key to `rotateKey` and `revokeKey`; no secret. */
  readonly apiKeyId: string
  /** What a client sends as `Authorization: Bearer`. */
  readonly key: string
}

/** A running Sibyl. After `close`, what it offers beside `service` rejects with {@link SibylClosed}. */
export interface Sibyl {
  /** Hand this to an adapter. */
  readonly service: Service
  /** Deploys a program and answers its id. Rejects with {@link ProgramInvalid} if no phase can run it. */
  readonly deploy: (program: Uint8Array) => Promise<string>
  /**
   * Gives a deployed program a name from the next request on: for every project, or for one project, whose own names take
   * precedence. Rejects with `InvalidSetting` if the name is invalid, with `ProgramNotDeployed` and with `ProjectNotFound`.
   */
  readonly nameProgram: (name: string, programId: string, projectId?: string) => Promise<NamedProgram>
  /**
   * Creates a project at every call; to find one again after a restart use {@link Sibyl.ensureProject}. Rejects with
   * `InvalidOption` for a name that is none, and with `InvalidSetting` if a setting is invalid, such as a usage limit below what any run holds (351 with the default gas limits).
   */
  readonly createProject: (project: NewProject) => Promise<Project>
  /**
   * The project whose key lies in `keyFile`; without that file the organization's project of this name, made where it is
   * missing, with a new key that is written there. Rejects with a `KeyFileInvalid` when the file holds no valid key, and with an
   * `InvalidOption` or `InvalidSetting` as `createProject` does.
   */
  readonly ensureProject: (input: EnsureProjectOptions) => Promise<EnsuredProject>
  /** Makes a key. It does not expire unless `expiresAtMs` is given. Rejects with `ProjectNotFound`, and with `InvalidSetting` as `createProject` does. */
  readonly issueKey: (projectId: string, key?: NewKey) => Promise<ShownKey>
  /**
   * Makes a key in the place of one, which stays valid for `overlapMs`. Rejects with a `KeyNotFound`, with a `KeyEnded` when the
   * old one is not valid any more, and with an `InvalidSetting` when the rotation breaks a rule.
   */
  readonly rotateKey: (apiKeyId: string, rotation: Rotation) => Promise<ShownKey>
  /** Revokes a key: requests with it get 401, and its WebSockets close. Rejects with `KeyNotFound`. */
  readonly revokeKey: (apiKeyId: string) => Promise<void>
  /** Adds credits. Rejects with `ProjectNotFound`, and with `InvalidSetting` for what is no bigint or negative. */
  readonly grant: (projectId: string, credits: bigint) => Promise<Balance>
  /** Registers a data proxy or changes it. Rejects with an `InvalidSetting` when the input breaks a rule. */
  readonly registerProxy: (proxy: DataProxyInput) => Promise<DataProxy>
  /** What was measured, in the text format of Prometheus; empty without `metrics`. */
  readonly metricsText: () => string
  /** The same, series by series, of each process: this one. */
  readonly readMetrics: () => Promise<ReadonlyArray<ReadonlyArray<Series>>>
  /** Finishes running work, then releases everything. */
  readonly close: () => Promise<void>
}

/** Why a module cannot be deployed. */
export class ProgramInvalid extends Error {
  readonly _tag = "ProgramInvalid"

  constructor(reason: string) {
    super(`this module cannot run as an Oracle Program: ${reason}`)
    this.name = "ProgramInvalid"
  }
}

/** This Sibyl was closed before. */
export class SibylClosed extends Error {
  readonly _tag = "SibylClosed"

  constructor() {
    super("this Sibyl is closed")
    this.name = "SibylClosed"
  }
}

const shown = ({ apiKeyId, key }: IssuedKey): ShownKey => ({ apiKeyId, key: Redacted.value(key) })

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
  const provision = <A, E>(use: (provisioning: Provisioning["Type"]) => Effect.Effect<A, E>): Promise<A> =>
    run(Effect.flatMap(Provisioning, use))
  const withKeys = <A, E>(use: (keys: Keys["Type"]) => Effect.Effect<A, E>): Promise<A> => run(Effect.flatMap(Keys, use))
  return {
    service,
    deploy: async (program) => {
      if (!((program as unknown) instanceof Uint8Array))
        throw new InvalidOption("program", "must be the bytes of a module, as a Uint8Array")
      const why = await run(whyNoPhase(program))
      if (why !== undefined) throw new ProgramInvalid(why)
      return run(Effect.flatMap(ProgramStore, (store) => store.put(program)))
    },
    nameProgram: async (name, programId, projectId) => {
      checkId("programId", programId)
      const owner = projectId ?? null
      if (owner !== null) checkId("projectId", owner)
      return run(giveName(name, programId, owner))
    },
    ensureProject: async (input) => {
      checkNames(input, ensuredNames)
      if (typeof (input.keyFile as unknown) !== "string" || input.keyFile === "")
        throw new InvalidOption("keyFile", "must be the path of a file")
      return run(ensureProject(input))
    },
    createProject: async (project) => {
      checkNames(project, projectNames)
      return provision((provisioning) => provisioning.createProject(project))
    },
    issueKey: async (projectId, key = {}) => {
      checkId("projectId", projectId)
      checkNames(key, keyNames)
      return shown(await withKeys((keys) => keys.issue(projectId, key)))
    },
    rotateKey: async (apiKeyId, rotation) => {
      checkId("apiKeyId", apiKeyId)
      checkNames(rotation, rotationNames)
      return shown(await withKeys((keys) => keys.rotate(apiKeyId, rotation)))
    },
    revokeKey: async (apiKeyId) => {
      checkId("apiKeyId", apiKeyId)
      return withKeys((keys) => keys.revoke(apiKeyId))
    },
    grant: async (projectId, credits) => {
      checkId("projectId", projectId)
      return provision((provisioning) => provisioning.grant(projectId, credits))
    },
    readMetrics: () => Promise.resolve(metrics ? [measuring().series()] : []),
    metricsText: () => (metrics ? metricsTextOf([measuring().series()]) : ""),
    registerProxy: async (proxy) => {
      checkNames(proxy, proxyNames)
      return run(Effect.flatMap(DataProxies, (proxies) => proxies.register(proxy)))
    },
    close: async () => {
      await service.dispose()
      if (following !== undefined) await Effect.runPromise(Fiber.interrupt(following))
      isClosed = true
      await ports.dispose()
    }
  }
}
