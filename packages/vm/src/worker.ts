/** The entry of a worker thread: one order in, one report out. */
import { parentPort, workerData } from "node:worker_threads"
import type { Preparation } from "./pass/prepare.ts"
import type { PassOrder, WorkerReport, WorkerSettings } from "./pool/messages.ts"
import { RecentMap } from "./pool/recentMap.ts"
import { runOrder } from "./pool/runOrder.ts"

const report = (message: WorkerReport): void => parentPort?.postMessage(message)

const { cachedPrograms } = workerData as WorkerSettings
const known = new RecentMap<Preparation>(cachedPrograms)

parentPort?.on("message", (order: PassOrder) => report(runOrder(order, known)))
parentPort?.on("messageerror", () => report({ kind: "defect", message: "an order could not be read" }))
report({ kind: "ready" })
