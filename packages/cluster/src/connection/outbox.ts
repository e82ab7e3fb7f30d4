/**
 * Messages on their way to the client of NATS. The first one of a turn of the event loop is sent at once; those that follow in the same
 * turn go together at its end: a write to a socket costs more than everything else that a message needs.
 */

/** One message to be sent. */
export interface Outgoing {
  readonly subject: string
  readonly data: Uint8Array
  readonly reply: string | undefined
}

/** The messages of one connection. */
export class Outbox {
  private readonly publish: (message: Outgoing) => void
  private waiting: Array<Outgoing> = []
  private isTurn = false

  /** `publish` hands a message to the client, which writes what it has at the end of the running task. */
  constructor(publish: (message: Outgoing) => void) {
    this.publish = publish
  }

  /** Sends a message now, or at the end of this turn. */
  send(message: Outgoing): void {
    if (this.isTurn) {
      this.waiting.push(message)
      return
    }
    this.isTurn = true
    setImmediate(this.endTurn)
    this.publish(message)
  }

  /** Hands everything to the client now. */
  flush(): void {
    const { waiting } = this
    this.waiting = []
    for (const message of waiting) this.publish(message)
  }

  private readonly endTurn = (): void => {
    this.isTurn = false
    this.flush()
  }
}
