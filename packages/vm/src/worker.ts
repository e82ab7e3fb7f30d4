/** The entry of a worker thread: one order in, one report out. */
import { parentPort, workerData } from "node:worker_threads"
import type { PassOrder, WorkerReport } from "./pool/messages.ts"
import { GuestCache } from "./pass/guestCache.ts"
import { KeptPrograms } from "./pool/keptPrograms.ts"
import { OrderProgress } from "./pool/orderProgress.ts"
import { runOrder, type WorkerState } from "./pool/runOrder.ts"
import type { WorkerStart } from "./pool/workerStart.ts"

const report = (message: WorkerReport): void => parentPort?.postMessage(message)

const { keptPrograms, progress } = workerData as WorkerStart
const state: WorkerState = {
  programs: new KeptPrograms(keptPrograms),
  guests: new GuestCache(),
  progress: new OrderProgress(progress)
}

parentPort?.on("message", (order: PassOrder) => report(runOrder(order, state)))
parentPort?.on("messageerror", () => report({ kind: "defect", message: "an order could not be read" }))
report({ kind: "ready" })
