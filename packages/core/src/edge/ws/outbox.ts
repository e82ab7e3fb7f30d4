/** The messages on their way to one client: what is enqueued in one turn leaves together. */
import type { Socket } from "../transport/seam.ts"

/** Gathers texts and hands them to the socket at the end of the turn, in order. */
export class Outbox {
  readonly #socket: Socket
  readonly #sent: () => void
  /** Only there while something waits: kept empty it would grow old, and keep every text that it once held from being collected. */
  #waiting: Array<string> | undefined
  #closed = false

  /** `sent` is called after each hand-over, to look at what the socket still holds. */
  constructor(socket: Socket, sent: () => void) {
    this.#socket = socket
    this.#sent = sent
  }

  /** Adds a message; it leaves at the end of the turn. */
  enqueue(text: string): void {
    if (this.#closed) return
    if (this.#waiting !== undefined) return void this.#waiting.push(text)
    this.#waiting = [text]
    void Promise.resolve().then(() => this.flush())
  }

  /** Hands over what is waiting now, before the end of the turn. */
  flush(): void {
    const texts = this.#waiting
    if (this.#closed || texts === undefined) return
    this.#waiting = undefined
    this.#socket.sendTexts(texts)
    this.#sent()
  }

  /** Nothing is sent from now on. */
  close(): void {
    this.#closed = true
    this.#waiting = undefined
  }
}
