/** The entry of a worker thread: one order in, one report out. */
import { workerData } from "node:worker_threads"
import type { PassOrder, WorkerReport } from "./orders/messages.ts"
import { GuestCache } from "./pass/guestCache.ts"
import { KeptPrograms } from "./orders/keptPrograms.ts"
import { loadFastKeccak256 } from "./fastKeccak256.ts"
import { OrderProgress } from "./orders/orderProgress.ts"
import { ResultSigner } from "./orders/resultSigner.ts"
import { KeptTerms } from "./orders/runTerms.ts"
import { runOrder, type WorkerState } from "./orders/runOrder.ts"
import type { ThreadStart } from "./workers/threadStart.ts"
import { Uninterrupted } from "./orders/uninterrupted.ts"

const { keptPrograms, port, progress, signing } = workerData as ThreadStart

const orderProgress = new OrderProgress(progress)

const report = (message: WorkerReport): void => port.postMessage(message)

await loadFastKeccak256()
const state: WorkerState = {
  programs: new KeptPrograms(keptPrograms),
  terms: new KeptTerms(),
  guests: new GuestCache(),
  progress: orderProgress,
  signer: signing === undefined ? undefined : await ResultSigner.load(signing, new Uninterrupted(signing.uninterrupted))
}

/** What an order has come to. */
const reportEnd = (message: WorkerReport): void => {
  orderProgress.ended()
  report(message)
}

port.on("message", (order: PassOrder) => reportEnd(runOrder(order, state)))
port.on("messageerror", () => reportEnd({ kind: "defect", message: "an order could not be read" }))
report({ kind: "ready" })
