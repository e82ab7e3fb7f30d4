/** The entry of a worker process. Its main thread supervises; the other one takes an order from a pipe, and writes its report, again and again. */
import { deserialize, serialize } from "node:v8"
import { isMainThread, workerData } from "node:worker_threads"
import { loadFastKeccak256 } from "./fastKeccak256.ts"
import { KeptPrograms } from "./orders/keptPrograms.ts"
import type { PassOrder } from "./orders/messages.ts"
import { OrderProgress } from "./orders/orderProgress.ts"
import { KeptTerms } from "./orders/runTerms.ts"
import { runOrder, type WorkerState } from "./orders/runOrder.ts"
import { GuestCache } from "./pass/guestCache.ts"
import { readMessage, writeMessage } from "./workers/blockingPipe.ts"
import { processStartIn } from "./workers/processCommand.ts"
import { processPipes, type ProcessReport, processReportOf } from "./workers/processMessages.ts"
import { type CarrierStart, supervise } from "./workers/supervision.ts"

const tell = (report: ProcessReport): void => writeMessage(processPipes.reports, serialize(report))

/** Engines do some of their own work between the turns of the event loop. */
const turnOfLoop = (): Promise<void> => new Promise((resume) => setImmediate(resume))

const carryOut = async ({ busy: memory, keptPrograms, progress: orders }: CarrierStart): Promise<void> => {
  const busy = new Int32Array(memory)
  const progress = new OrderProgress(orders)
  await loadFastKeccak256()
  const state: WorkerState = {
    programs: new KeptPrograms(keptPrograms),
    terms: new KeptTerms(),
    guests: new GuestCache(),
    progress: {
      beginTally: (afterMs) => tell({ kind: "tallyBegan", afterMs }),
      get isNextRecalled() {
        return progress.isNextRecalled
      }
    },
    signer: undefined
  }
  tell({ kind: "ready" })
  for (let order = readMessage(processPipes.orders); order !== undefined; order = readMessage(processPipes.orders)) {
    Atomics.store(busy, 0, 1)
    const report = runOrder(deserialize(order) as PassOrder, state)
    progress.ended()
    tell(processReportOf(report))
    Atomics.store(busy, 0, 0)
    await turnOfLoop()
  }
}

if (isMainThread) supervise(import.meta.url, processStartIn(process.argv))
else await carryOut(workerData as CarrierStart)
