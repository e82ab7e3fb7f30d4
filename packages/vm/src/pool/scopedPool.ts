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
import { defaultWorkerMemoryMib, type PoolSettings } from "./poolSettings.ts"
import { WorkerPool } from "./workerPool.ts"

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
