/** The messages on their way to one client: what is said in one turn leaves together. */
import type { Socket } from "./seam.ts"

/** Gathers texts and hands them to the socket at the end of the turn, in order. */
export class Outbox {
  readonly #socket: Socket
  readonly #sent: () => void
  #waiting: Array<string> = []
  #closed = false

  /** `sent` is called after each hand-over, to look at what the socket still holds. */
  constructor(socket: Socket, sent: () => void) {
    this.#socket = socket
    this.#sent = sent
  }

  say(text: string): void {
    if (this.#closed) return
    this.#waiting.push(text)
    if (this.#waiting.length === 1) void Promise.resolve().then(() => this.flush())
  }

  /** Hands over what is waiting now, before the end of the turn. */
  flush(): void {
    if (this.#closed || this.#waiting.length === 0) return
    const texts = this.#waiting
    this.#waiting = []
    this.#socket.sendTexts(texts)
    this.#sent()
  }

  /** Nothing is sent from now on. */
  close(): void {
    this.#closed = true
    this.#waiting = []
  }
}
