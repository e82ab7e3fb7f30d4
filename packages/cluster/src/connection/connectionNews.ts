/** What is known of a connection to NATS, and what the log is told of it: each change once, however often the client tries to connect again. */
import { errors, type Status } from "@nats-io/transport-node"
import { Effect } from "effect"

/** Different reports that are remembered; some name a subject that is new each time. */
const mostRemembered = 100

/** Follows the states of one connection, which is up when it begins. */
export class ConnectionNews {
  #isUp = true
  readonly #reported = new Set<string>()
  readonly #refused = new Set<string>()

  /** Whether there is a connection. */
  get isUp(): boolean {
    return this.#isUp
  }

  /** What NATS has refused for want of a permission, such as `publish to a.b`, since it was connected last. */
  get refused(): ReadonlyArray<string> {
    return [...this.#refused]
  }

  /** Takes note of a state, and answers what to log of it. While a server refuses us, each attempt is an error and a connection that ends. */
  take(status: Status): Effect.Effect<void> {
    switch (status.type) {
      case "disconnect":
        return this.#down(status.server)
      case "close":
        this.#isUp = false
        return Effect.void
      case "reconnect":
        return this.#up(status.server)
      case "error":
        this.#noteRefusal(status.error)
        return this.#report(status.error.message)
      default:
        return Effect.void
    }
  }

  #down(server: string): Effect.Effect<void> {
    if (!this.#isUp) return Effect.void
    this.#isUp = false
    return Effect.logWarning(`the connection to NATS at ${server} is lost`)
  }

  /** After many attempts that were refused, the client tells of one connection as often. */
  #up(server: string): Effect.Effect<void> {
    if (this.#isUp) return Effect.void
    this.#isUp = true
    this.#reported.clear()
    this.#refused.clear()
    return Effect.logInfo(`connected to NATS at ${server} again`)
  }

  #noteRefusal(error: Error): void {
    if (!(error instanceof errors.PermissionViolationError) || this.#refused.size >= mostRemembered) return
    this.#refused.add(`${error.operation === "publish" ? "publish" : "subscribe"} to ${error.subject}`)
  }

  #report(message: string): Effect.Effect<void> {
    if (this.#reported.has(message)) return Effect.void
    if (this.#reported.size >= mostRemembered) this.#reported.clear()
    this.#reported.add(message)
    return Effect.logWarning(`NATS reports: ${message}`)
  }
}
