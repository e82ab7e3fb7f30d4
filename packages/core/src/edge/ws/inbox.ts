/** Incoming messages of one client: a limited number is read per turn of the event loop, the others wait. */
import type { LongMessages } from "./longMessages.ts"
import { mostUnread, mostUnreadChars } from "../../domain/runs/unreadMessages.ts"

/** Messages of one connection that are read in one turn; fewer if they are long. */
export const messagesPerTurn = 64
const charsPerTurn = 1_048_576

/** Passes the messages on in order. */
export class Inbox {
  readonly #read: (text: string) => void
  readonly #nextTurn: (then: () => void) => void
  readonly #long: LongMessages
  /** What waits; undefined while nothing does, so that no long-lived array is kept. */
  #line: Array<string> | undefined
  #waitingChars = 0
  #readThisTurn = 0
  #charsThisTurn = 0
  #isTurnComing = false

  /** `nextTurn` calls back in another turn of the event loop. */
  constructor(read: (text: string) => void, nextTurn: (then: () => void) => void, long: LongMessages) {
    this.#read = read
    this.#nextTurn = nextTurn
    this.#long = long
  }

  get isEmpty(): boolean {
    return this.#line === undefined
  }

  /** Takes a message. False: too many wait. */
  take(text: string): boolean {
    if (this.#line === undefined && !this.#mustWait(text)) {
      this.#hand(text)
      return true
    }
    this.#line ??= []
    this.#line.push(text)
    this.#waitingChars += text.length
    this.#awaitTurn()
    return this.#line.length === 1 || (this.#line.length <= mostUnread && this.#waitingChars <= mostUnreadChars)
  }

  /** Drops what waits. */
  close(): void {
    this.#line = undefined
  }

  get #isFull(): boolean {
    return this.#readThisTurn >= messagesPerTurn || this.#charsThisTurn >= charsPerTurn
  }

  #mustWait(text: string): boolean {
    return this.#isFull || this.#long.mustWait(text)
  }

  #hand(text: string): void {
    this.#readThisTurn += 1
    this.#charsThisTurn += text.length
    this.#long.spend(text)
    // Turns are counted only for clients that send a lot: a timer per message would cost more than most messages.
    if (this.#isFull) this.#awaitTurn()
    this.#read(text)
  }

  #awaitTurn(): void {
    if (this.#isTurnComing) return
    this.#isTurnComing = true
    const turn = () => this.#turn()
    if (this.#isFull) this.#nextTurn(turn)
    else this.#long.wait(turn)
  }

  #turn(): void {
    this.#isTurnComing = false
    this.#readThisTurn = 0
    this.#charsThisTurn = 0
    while (this.#line !== undefined) {
      const [text] = this.#line
      if (text === undefined || this.#mustWait(text)) break
      this.#line.shift()
      if (this.#line.length === 0) this.#line = undefined
      this.#waitingChars -= text.length
      this.#hand(text)
    }
    if (this.#line !== undefined) this.#awaitTurn()
  }
}
