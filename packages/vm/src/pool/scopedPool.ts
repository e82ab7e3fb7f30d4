/** A pool of workers as an Effect resource: how large it is, what its workers are, and what is told of them. */
import { availableParallelism } from "node:os"
import { metricList, Metrics, RuntimeDefect } from "@sibyl/core"
import { logPart, TurnBreaks } from "@sibyl/core/internal"
import { Effect, Runtime, type Scope } from "effect"
import type { SigningThread } from "../orders/resultSigner.ts"
import { engineEnvironment } from "../workers/engineEnvironment.ts"
import { type OpenWorker, processWorkers, threadWorkers } from "../workers/openWorker.ts"
import { processWorkerFile, workerFile } from "../workers/workerFile.ts"
import { checkPool } from "./checkedPool.ts"
import type { LostWorker } from "./poolOptions.ts"
import { WorkerPool } from "./workerPool.ts"

/** The workers of a runtime. Everything has a default. */
export interface PoolSettings {
  /** Workers that run programs. Default: one for each processor. */
  readonly workers?: number
  /**
   * Workers beside them that start when all are stuck in long passes, for projects that have none; each project
   * gets one at most. Default: as many as there are workers, at least two.
   */
  readonly spareWorkers?: number
  /** Runs that may wait for their first pass; one more is `Overloaded`. Default 10,000. */
  readonly queueBound?: number
  /** Compiled programs kept in memory. Default 128. */
  readonly cachedPrograms?: number
  /**
   * What workers are: threads of this process; or processes without its environment, files and secrets, which are ended alone when a
   * program takes too much memory or breaks the engine. Default `thread`.
   */
  readonly isolation?: "thread" | "process"
  /** Resident memory beyond which a worker process is ended, in MiB. Default {@link defaultWorkerMemoryMib}. */
  readonly workerMemoryMib?: number
}

/** Ten times what a worker needs for usual programs. */
export const defaultWorkerMemoryMib = 512

const openWorkerOf = (settings: PoolSettings, signing: SigningThread | undefined): Effect.Effect<OpenWorker> => {
  const { isolation = "thread", workerMemoryMib = defaultWorkerMemoryMib } = settings
  const file = isolation === "thread" ? workerFile() : processWorkerFile()
  if (file === undefined) return Effect.die(new RuntimeDefect(`@sibyl/vm is not built: the code of a worker ${isolation} is missing`))
  return isolation === "thread"
    ? Effect.succeed(threadWorkers(file, signing))
    : Effect.map(engineEnvironment(workerMemoryMib), (environment) => processWorkers(file, workerMemoryMib, environment))
}

/** Counts lost workers, and logs those that were not ended by a deadline. */
const tellLost = Effect.gen(function* () {
  const runtime = yield* Effect.runtime()
  const { add } = yield* Metrics
  return ({ reason, why }: LostWorker): void => {
    add(metricList.workersLost, 1, why)
    if (why === "deadline") return
    const line = Effect.logWarning(`a worker that runs programs ended and was replaced: ${reason}`)
    Runtime.runFork(runtime)(Effect.annotateLogs(line, logPart("processes")))
  }
})

/** A pool that ends with its scope. Invalid settings are a defect. `signing`: how worker threads sign results; processes never do, for no secret leaves the server. */
export const scopedPool = (settings: PoolSettings, signing?: SigningThread): Effect.Effect<WorkerPool, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.sync(() => checkPool(settings))
    const { workers = availableParallelism() } = settings
    const openWorker = yield* openWorkerOf(settings, signing)
    const breaks = yield* TurnBreaks
    const onLost = yield* tellLost
    const pool = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new WorkerPool({
            workers,
            spareWorkers: settings.spareWorkers ?? Math.max(2, workers),
            queueBound: settings.queueBound ?? 10_000,
            cachedPrograms: settings.cachedPrograms ?? 128,
            openWorker,
            breaks,
            onLost
          })
      ),
      (opened) => Effect.promise(() => opened.close())
    )
    const { read } = yield* Metrics
    yield* Effect.acquireRelease(
      Effect.sync(() => read(metricList.workersReady, () => pool.readyWorkers)),
      (end) => Effect.sync(end)
    )
    return pool
  })
