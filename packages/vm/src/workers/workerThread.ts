/** A worker thread with the channel on which it takes orders and reports. */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads"
import type { PassOrder, WorkerReport } from "../orders/messages.ts"
import type { OrderProgress } from "../orders/orderProgress.ts"
import type { PoolWorker, WorkerEvents } from "./poolWorker.ts"
import { stackSizeMb } from "./stackSize.ts"
import type { ThreadStart } from "./threadStart.ts"

/** What a worker thread is started with. */
export interface WorkerThreadOptions extends Omit<ThreadStart, "port" | "progress"> {
  readonly progress: OrderProgress
}

/** Starts at once. */
export class WorkerThread implements PoolWorker {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #events: WorkerEvents
  readonly #progress: OrderProgress

  constructor(file: string, { progress, ...start }: WorkerThreadOptions, events: WorkerEvents) {
    // Only a port of one's own can be asked whether something has arrived.
    const { port1, port2 } = new MessageChannel()
    const workerData: ThreadStart = { ...start, progress: progress.memory, port: port2 }
    this.#progress = progress
    this.#events = events
    this.#port = port1
    this.#worker = new Worker(file, { resourceLimits: { stackSizeMb }, workerData, transferList: [port2] })
    let fault: string | undefined
    port1.on("message", events.onReport)
    port1.on("messageerror", events.onUnreadable)
    this.#worker.on("error", (error) => {
      fault = error.message
    })
    this.#worker.on("exit", (code) => {
      // What it reported last may still wait for its turn.
      while (this.takeReport()) {
        // A thread that has ended gets no further order, so that there is an end.
      }
      port1.close()
      events.onEnd({ reason: fault ?? `exit code ${code}` })
    })
  }

  give(order: PassOrder): void {
    this.#port.postMessage(order)
  }

  recall(after: number, upTo: number): void {
    this.#progress.recall(after, upTo)
  }

  /**
   * Takes a report that has arrived without waiting until the event loop comes to it; whether there was one. Only one: it is answered with
   * the next order, and a quick thread would keep whoever wants all of its reports for as long as anything waits for it.
   */
  takeReport(): boolean {
    const got = receiveMessageOnPort(this.#port)
    if (got === undefined) return false
    this.#events.onReport(got.message as WorkerReport)
    return true
  }

  /** Resolves when it has ended. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }
}
