/** The subscriptions of a connection, and which of them NATS has refused, until it allows them again. */
import { Effect } from "effect"
import type { LastingSubscription } from "./lastingSubscription.ts"

/** Between two attempts at those that are refused, in ms; NATS writes a line into its own log for each. */
const againMs = 2_000

/** What asking again needs of the connection. */
export interface Asking {
  readonly isConnected: () => boolean
  /** Waits until all that NATS has refused before is known. */
  readonly judged: Effect.Effect<void>
  readonly onAllowed: (subject: string) => Effect.Effect<void>
}

/** Those of one connection. */
export class Subscriptions {
  private readonly all = new Set<LastingSubscription>()
  private readonly refusedOnes = new Set<LastingSubscription>()
  private readonly asked = new Set<LastingSubscription>()

  /** Whether the server has all of them, as far as is known. */
  get areHad(): boolean {
    return this.refusedOnes.size === 0
  }

  /** One is made. */
  add(one: LastingSubscription): void {
    this.all.add(one)
  }

  /** One is ended. */
  delete(one: LastingSubscription): void {
    for (const some of [this.all, this.refusedOnes, this.asked]) some.delete(one)
  }

  /** NATS has refused those to a subject. */
  refused(subject: string): void {
    for (const one of this.all) {
      if (one.subject !== subject) continue
      this.refusedOnes.add(one)
      this.asked.delete(one)
    }
  }

  /** Asks for those that are refused again, from time to time, for ever. */
  asking(asking: Asking): Effect.Effect<never> {
    const once = Effect.suspend(() => (this.areHad || !asking.isConnected() ? Effect.void : this.askOnce(asking)))
    return Effect.forever(Effect.delay(once, againMs))
  }

  private askOnce({ judged, onAllowed }: Asking): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const one of this.refusedOnes) {
        one.again()
        this.asked.add(one)
      }
      return Effect.flatMap(judged, () => {
        const allowed = [...this.asked]
        this.asked.clear()
        for (const one of allowed) this.refusedOnes.delete(one)
        return Effect.forEach(allowed, ({ subject }) => onAllowed(subject), { discard: true })
      })
    })
  }
}
