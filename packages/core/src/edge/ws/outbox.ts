/** Outgoing messages of one client: all that are enqueued in one turn of the event loop are sent together. */
import type { SharedText, Socket } from "../transport/seam.ts"

/** Collects texts and passes them to the socket at the end of the turn, in order. */
export class Outbox {
  readonly #socket: Socket
  readonly #sent: (messages: number) => void
  /** Exists only while something waits. A long-lived array would move to the old generation and delay the collection of texts that it held. */
  #waiting: Array<string> | undefined
  #closed = false

  /** `sent` is called after each flush with how many messages it sent, to check what the socket still buffers. */
  constructor(socket: Socket, sent: (messages: number) => void) {
    this.#socket = socket
    this.#sent = sent
  }

  /** Adds a message; it is sent at the end of the turn. */
  enqueue(text: string): void {
    if (this.#closed) return
    if (this.#waiting !== undefined) return void this.#waiting.push(text)
    this.#waiting = [text]
    void Promise.resolve().then(() => this.flush())
  }

  /** Sends a message that other sockets are sent, too, at once: behind what is waiting. */
  sendShared(message: SharedText): void {
    if (this.#closed) return
    if (this.#socket.sendShared === undefined) return this.enqueue(message.text)
    this.flush()
    // The flush may have found the client too slow.
    if (this.#isClosed()) return
    this.#socket.sendShared(message)
    this.#sent(1)
  }

  /** Sends what is waiting now, before the end of the turn. */
  flush(): void {
    const texts = this.#waiting
    if (this.#closed || texts === undefined) return
    this.#waiting = undefined
    this.#socket.sendTexts(texts)
    this.#sent(texts.length)
  }

  #isClosed(): boolean {
    return this.#closed
  }

  /** From now on nothing is sent. */
  close(): void {
    this.#closed = true
    this.#waiting = undefined
  }
}
