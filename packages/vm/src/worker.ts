/** The entry of a worker thread: one order in, one report out. */
import { parentPort } from "node:worker_threads"
import type { PassOrder, WorkerReport } from "./pool/messages.ts"
import { LRUCache } from "lru-cache"
import { GuestCache } from "./pass/guestCache.ts"
import { runOrder, type WorkerCaches } from "./pool/runOrder.ts"

const report = (message: WorkerReport): void => parentPort?.postMessage(message)

let caches: WorkerCaches | undefined

parentPort?.on("message", (order: PassOrder) => {
  caches ??= { known: new LRUCache({ max: order.keptPrograms }), guests: new GuestCache() }
  report(runOrder(order, caches))
})
parentPort?.on("messageerror", () => report({ kind: "defect", message: "an order could not be read" }))
report({ kind: "ready" })
