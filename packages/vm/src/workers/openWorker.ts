/** How a pool opens its workers: threads of its own process, or processes. */
import type { OrderProgress } from "../orders/orderProgress.ts"
import type { SigningThread } from "../orders/resultSigner.ts"
import type { Environment } from "./engineEnvironment.ts"
import type { PoolWorker, WorkerEvents } from "./poolWorker.ts"
import { WorkerProcess } from "./workerProcess.ts"
import { WorkerThread } from "./workerThread.ts"

/** Opens one worker, which keeps this many programs and notes its progress here. */
export type OpenWorker = (keptPrograms: number, progress: OrderProgress, events: WorkerEvents) => PoolWorker

/** Threads that run this file, and sign results if they are told how. */
export const threadWorkers =
  (file: string, signing?: SigningThread): OpenWorker =>
  (keptPrograms, progress, events) =>
    new WorkerThread(file, { keptPrograms, signing, progress }, events)

/** Processes that run this file, each with so much memory at most, and nothing in its environment but this. */
export const processWorkers =
  (file: string, maxMib: number, environment: Environment = {}): OpenWorker =>
  (keptPrograms, progress, events) =>
    new WorkerProcess(file, { keptPrograms, maxMib, environment, progress }, events)
