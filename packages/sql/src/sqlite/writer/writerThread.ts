/** The thread that writes to a database, as seen from the service: started when it is needed, and again after it died. */
import { TransientMap } from "@sibyl/core/internal"
import { type Answers, type Fault, faultOf, lostCode, type Message, type Order, type Outcome, type WriterSettings } from "./messages.ts"
import { threadLink } from "./threadLink.ts"
import type { ConnectWriter, WriterLink } from "./writerLink.ts"

/** How a writer thread is used. */
export interface WriterThreadOptions extends WriterSettings {
  /** Something may have been committed; called before its answers are given. */
  readonly onAnswers: () => void
  /** How the writer is reached; by default a thread of this process. */
  readonly connect?: ConnectWriter | undefined
}

type Reply = (outcome: Outcome) => void

/** Sends orders to the thread and gives each reply once. The process may end while nothing is being written. */
export class WriterThread {
  readonly #options: WriterThreadOptions
  readonly #waiting = new TransientMap<number, Reply>()
  #outgoing: Array<Message> = []
  #running: WriterLink | undefined
  #orders = 0
  #isClosing = false
  #isFlushing = false
  #flushing: NodeJS.Immediate | undefined

  constructor(options: WriterThreadOptions) {
    this.#options = options
  }

  /** Sends an order. The returned function takes it back: nothing is replied then, and it is dropped unless it has begun. */
  send(order: Order, reply: Reply): () => void {
    if (this.#isClosing) {
      reply({ fault: { message: "the database is closed", code: lostCode } })
      return () => {}
    }
    this.#orders += 1
    const id = this.#orders
    this.#waiting.set(id, reply)
    this.#post({ id, order })
    return () => {
      if (!this.#waiting.delete(id)) return
      this.#post({ id, order: undefined })
      this.#mayRest()
    }
  }

  /** Ends the thread once everything that was sent before has been written. */
  async close(): Promise<void> {
    const isRunning = this.#running !== undefined || this.#outgoing.length > 0
    const closed = isRunning ? new Promise<void>((resolve) => void this.send({ kind: "close" }, () => resolve())) : undefined
    this.#isClosing = true
    await closed
    await this.#running?.ended
  }

  /** Single statements of one turn of the event loop share a message; everything else goes at once, and takes them with it. */
  #post(message: Message): void {
    this.#outgoing.push(message)
    if (message.order?.kind === "statement") {
      this.#flushing ??= setImmediate(() => this.#flush())
    } else if (!this.#isFlushing) {
      this.#isFlushing = true
      queueMicrotask(() => this.#flush())
    }
  }

  #flush(): void {
    const messages = this.#outgoing
    this.#outgoing = []
    this.#isFlushing = false
    clearImmediate(this.#flushing)
    this.#flushing = undefined
    if (messages.length === 0) return
    try {
      this.#send(messages)
    } catch {
      // One of them has a value that cannot be sent.
      for (const message of messages) this.#sendOne(message)
    }
  }

  #send(messages: ReadonlyArray<Message>): void {
    this.#running ??= this.#start()
    this.#running.keepAlive(true)
    this.#running.post(messages)
  }

  #sendOne(message: Message): void {
    try {
      this.#send([message])
    } catch (cause) {
      this.#reply(message.id, { fault: faultOf(cause) })
      this.#mayRest()
    }
  }

  #start(): WriterLink {
    const { connect = threadLink(), filename, patienceMs } = this.#options
    const link = connect(
      { filename, patienceMs },
      {
        answered: (answers) => this.#receive(answers),
        lost: (why) => {
          if (this.#running === link) this.#running = undefined
          this.#loseAll(`the thread that writes to the database ended (${why})`)
        }
      }
    )
    return link
  }

  #receive(answers: Answers): void {
    this.#options.onAnswers()
    for (const [id, outcome] of answers) this.#reply(id, outcome)
    this.#mayRest()
  }

  #reply(id: number, outcome: Outcome): void {
    const reply = this.#waiting.get(id)
    this.#waiting.delete(id)
    reply?.(outcome)
  }

  /** What was not sent yet goes to the next thread. */
  #loseAll(message: string): void {
    const fault: Fault = { message, code: lostCode }
    const unsent = new Set(this.#outgoing.map(({ id }) => id))
    const lost = [...this.#waiting.entries()].filter(([id]) => !unsent.has(id))
    this.#options.onAnswers()
    for (const [id] of lost) this.#reply(id, { fault })
    this.#mayRest()
  }

  /** Without anything to wait for, the thread does not keep the process alive; its end is waited for. */
  #mayRest(): void {
    if (this.#waiting.size > 0 || this.#isClosing) return
    this.#running?.keepAlive(false)
  }
}
