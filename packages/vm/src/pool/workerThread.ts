/** A worker thread with the channel on which it takes orders and reports. */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads"
import type { PassOrder, WorkerReport } from "./messages.ts"
import type { WorkerStart } from "./workerStart.ts"

/**
 * The stack of a worker in MB. Node gives 1.4 million trivial frames with it; Bun ignores it and gives some 8,000. The
 * pages are only used when a program recurses that deep.
 */
const stackSizeMb = 64

/** What a thread tells. */
export interface ThreadEvents {
  readonly onReport: (report: WorkerReport) => void
  /** A report could not be read. */
  readonly onUnreadable: () => void
  /** The thread has ended, whatever the reason. */
  readonly onEnd: (reason: string) => void
}

/** Starts at once. */
export class WorkerThread {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #events: ThreadEvents

  constructor(file: string, start: Omit<WorkerStart, "port">, events: ThreadEvents) {
    // Only a port of one's own can be asked whether something has arrived.
    const { port1, port2 } = new MessageChannel()
    const workerData: WorkerStart = { ...start, port: port2 }
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
      events.onEnd(fault ?? `exit code ${code}`)
    })
  }

  give(order: PassOrder): void {
    this.#port.postMessage(order)
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
