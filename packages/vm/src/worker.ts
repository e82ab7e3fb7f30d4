/** The entry of a worker thread: one order in, one report out. */
import { parentPort } from "node:worker_threads"
import type { Preparation } from "./pass/prepare.ts"
import type { PassOrder, WorkerReport } from "./pool/messages.ts"
import { LRUCache } from "lru-cache"
import { runOrder } from "./pool/runOrder.ts"

const report = (message: WorkerReport): void => parentPort?.postMessage(message)

let known: LRUCache<string, Preparation> | undefined

parentPort?.on("message", (order: PassOrder) => {
  known ??= new LRUCache({ max: order.keptPrograms })
  report(runOrder(order, known))
})
parentPort?.on("messageerror", () => report({ kind: "defect", message: "an order could not be read" }))
report({ kind: "ready" })
