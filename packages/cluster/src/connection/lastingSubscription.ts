/** A subscription that can be made again after NATS has refused it: a changed permission ends one for good. */
import type { Msg, NatsConnection as Client, Subscription } from "@nats-io/transport-node"

/** One subscription until it is closed. */
export class LastingSubscription {
  readonly subject: string
  private readonly subscribed: () => Subscription
  private current: Subscription

  /** `onMessage` must not throw: the client would read no further. */
  constructor(client: Client, subject: string, queue: string | undefined, onMessage: (message: Msg) => void) {
    this.subject = subject
    const options = {
      // A refusal is one of the connection's states, which are followed.
      callback: (error: Error | null, message: Msg) => (error === null ? onMessage(message) : undefined),
      ...(queue === undefined ? {} : { queue })
    }
    this.subscribed = () => client.subscribe(subject, options)
    this.current = this.subscribed()
  }

  /** Asks for it again. */
  again(): void {
    // Of a group's member that a changed permission has ended, the client does not know so.
    this.close()
    this.current = this.subscribed()
  }

  /** Ends it. */
  close(): void {
    this.current.unsubscribe()
  }
}
