/** One writer for the services of several processes: this process has its thread, and passes on what they send and are answered. */
import { MessageChannel, type MessagePort } from "node:worker_threads"
import type { Message, WriterSettings } from "./messages.ts"
import { listenAt, readRest, startThread, type StartedThread } from "./startThread.ts"
import type { WriterListener } from "./writerLink.ts"

/** The writer as one of those services has it. */
export interface SharedWriterClient {
  /** Passes messages on. Throws if the thread cannot be started. */
  readonly post: (messages: ReadonlyArray<Message>) => void
  /** The service has ended, in order or not: what it has sent is written, what it had begun and not committed is rolled back. */
  readonly close: () => void
}

const closing: ReadonlyArray<Message> = [{ id: 0, order: { kind: "close" } }]

/** Owns the thread, which is started with the first message, and again after it has died. */
export class SharedWriter {
  readonly #settings: WriterSettings
  readonly #file: string | undefined
  readonly #ports = new Map<WriterListener, MessagePort>()
  #running: StartedThread | undefined

  /** `file` has the thread's code; by default that of this package. */
  constructor(settings: WriterSettings, file?: string) {
    this.#settings = settings
    this.#file = file
  }

  /** A service that is told what is answered, and when the thread has died. */
  client(listener: WriterListener): SharedWriterClient {
    let isClosed = false
    return {
      post: (messages) => {
        if (!isClosed) this.#portOf(listener).postMessage(messages)
      },
      close: () => {
        isClosed = true
        // The thread closes the port when it has come to this.
        this.#ports.get(listener)?.postMessage(closing)
        this.#ports.delete(listener)
      }
    }
  }

  /** Closes what is open; resolves when the thread has ended. */
  async close(): Promise<void> {
    for (const port of this.#ports.values()) port.postMessage(closing)
    this.#ports.clear()
    this.#running?.port.postMessage(closing)
    await this.#running?.ended
  }

  #portOf(listener: WriterListener): MessagePort {
    const known = this.#ports.get(listener)
    if (known !== undefined) return known
    this.#running ??= this.#start()
    const { worker } = this.#running
    const { port1: port, port2 } = new MessageChannel()
    listenAt(port, worker, listener.answered)
    worker.postMessage(port2, [port2])
    this.#ports.set(listener, port)
    return port
  }

  /** The first port is our own: with it the thread lives on when every client has closed, for those that come later. */
  #start(): StartedThread {
    const lost = (why: string): void => {
      const clients = [...this.#ports]
      this.#ports.clear()
      this.#running = undefined
      for (const [listener, port] of clients) {
        readRest(port, listener.answered)
        listener.lost(why)
      }
    }
    return startThread(this.#settings, { answered: () => {}, lost }, this.#file)
  }
}
