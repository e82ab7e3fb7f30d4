/** The entry of a worker thread: one order in, one report out. */
import { parentPort } from "node:worker_threads"
import type { PassOrder, WorkerReport } from "./pool/messages.ts"
import { runOrder } from "./pool/runOrder.ts"

const report = (message: WorkerReport): void => parentPort?.postMessage(message)

parentPort?.on("message", (order: PassOrder) => report(runOrder(order)))
parentPort?.on("messageerror", () => report({ kind: "defect", message: "an order could not be read" }))
report({ kind: "ready" })
