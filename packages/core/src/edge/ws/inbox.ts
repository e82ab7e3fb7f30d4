/** Incoming messages of one client: a limited number is read per turn of the event loop, the others wait. */
import { mostUnread, mostUnreadChars } from "../../domain/runs/unreadMessages.ts"

/** Messages of one connection that are read in one turn; fewer if they are long. */
export const messagesPerTurn = 64
const charsPerTurn = 1_048_576

/** Passes the messages on in order. */
export class Inbox {
  readonly #read: (text: string) => void
  readonly #nextTurn: (then: () => void) => void
  /** What waits; undefined while nothing does, so that no long-lived array is kept. */
  #line: Array<string> | undefined
  #waitingChars = 0
  #readThisTurn = 0
  #charsThisTurn = 0

  /** `nextTurn` calls back in another turn of the event loop. */
  constructor(read: (text: string) => void, nextTurn: (then: () => void) => void) {
    this.#read = read
    this.#nextTurn = nextTurn
  }

  get isEmpty(): boolean {
    return this.#line === undefined
  }

  /** Takes a message. False: too many wait. */
  take(text: string): boolean {
    if (this.#line === undefined && !this.#isFull) {
      this.#hand(text)
      return true
    }
    this.#line ??= []
    this.#line.push(text)
    this.#waitingChars += text.length
    return this.#line.length === 1 || (this.#line.length <= mostUnread && this.#waitingChars <= mostUnreadChars)
  }

  /** Drops what waits. */
  close(): void {
    this.#line = undefined
  }

  get #isFull(): boolean {
    return this.#readThisTurn >= messagesPerTurn || this.#charsThisTurn >= charsPerTurn
  }

  #hand(text: string): void {
    this.#readThisTurn += 1
    this.#charsThisTurn += text.length
    // Turns are counted only for clients that send a lot: a timer per message would cost more than most messages.
    if (this.#isFull) this.#nextTurn(() => this.#turn())
    this.#read(text)
  }

  #turn(): void {
    this.#readThisTurn = 0
    this.#charsThisTurn = 0
    while (this.#line !== undefined && !this.#isFull) {
      const text = this.#line.shift()
      if (text === undefined) break
      if (this.#line.length === 0) this.#line = undefined
      this.#waitingChars -= text.length
      this.#hand(text)
    }
  }
}
