/** A worker thread with the channel on which it takes orders and reports. */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads"
import type { PassOrder, WorkerReport } from "../orders/messages.ts"
import type { OrderProgress } from "../orders/orderProgress.ts"
import type { SigningThread } from "../orders/resultSigner.ts"
import { endedAtExit, Uninterrupted } from "../orders/uninterrupted.ts"
import type { PoolWorker, WorkerEvents } from "./poolWorker.ts"
import { stackSizeMb } from "./stackSize.ts"
import type { ThreadStart } from "./threadStart.ts"

/** What a worker thread is started with. */
export interface WorkerThreadOptions {
  readonly keptPrograms: number
  readonly progress: OrderProgress
  /** Set if it signs results. */
  readonly signing: SigningThread | undefined
}

/** Starts at once. */
export class WorkerThread implements PoolWorker {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #events: WorkerEvents
  readonly #progress: OrderProgress
  readonly #signatures: Uninterrupted | undefined

  constructor(file: string, { keptPrograms, progress, signing }: WorkerThreadOptions, events: WorkerEvents) {
    // Only a port of one's own can be asked whether something has arrived.
    const { port1, port2 } = new MessageChannel()
    const signatures = signing === undefined ? undefined : new Uninterrupted()
    const workerData: ThreadStart = {
      keptPrograms,
      port: port2,
      progress: progress.memory,
      signing: signing === undefined || signatures === undefined ? undefined : { ...signing, uninterrupted: signatures.memory }
    }
    const left = signatures === undefined ? undefined : endedAtExit(signatures)
    this.#signatures = signatures
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
      left?.()
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
    await this.#signatures?.end()
    await this.#worker.terminate()
  }
}
