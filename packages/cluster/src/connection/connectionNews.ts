/** What is known of a connection to NATS, and what the log is told of it: each change once, however often the client tries to connect again. */
import { errors, type Status } from "@nats-io/transport-node"
import { Effect } from "effect"

/** Different reports that are remembered; some name a subject that is new each time. */
const mostRemembered = 100

type PermissionViolation = InstanceType<typeof errors.PermissionViolationError>

/** Each run is answered at an inbox of its own, for which one permission stands. */
const inboxes = "_INBOX."
const answering = `publish to ${inboxes}>`
const subjectOf = ({ operation, subject }: PermissionViolation): string =>
  operation === "publish" && subject.startsWith(inboxes) ? `${inboxes}>` : subject

/** Follows the states of one connection, which is up when it begins. */
export class ConnectionNews {
  #isUp = true
  readonly #told = new Set<string>()
  readonly #refused = new Set<string>()
  #refusedAnswers = 0

  /** Whether there is a connection. */
  get isUp(): boolean {
    return this.#isUp
  }

  /** What NATS has refused for want of a permission, such as `publish to a.b`, since it was connected last. */
  get refused(): ReadonlyArray<string> {
    return [...this.#refused]
  }

  /** Whether NATS takes what is sent to inboxes, as far as is known. */
  get mayAnswer(): boolean {
    return !this.#refused.has(answering)
  }

  /** How often NATS has refused what was sent to an inbox. */
  get refusedAnswers(): number {
    return this.#refusedAnswers
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
        return status.error instanceof errors.PermissionViolationError ? this.#forbidden(status.error) : this.#reported(status.error)
      default:
        return Effect.void
    }
  }

  /** NATS takes a subscription that it had refused. */
  allowed(subject: string): Effect.Effect<void> {
    return this.#again(`subscribe to ${subject}`)
  }

  /** NATS takes what is sent to inboxes, which it had refused. */
  answersAllowed(): Effect.Effect<void> {
    return this.#again(answering)
  }

  #again(refused: string): Effect.Effect<void> {
    this.#refused.delete(refused)
    this.#told.delete(refused)
    return Effect.logInfo(`NATS lets this user ${refused} again`)
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
    this.#told.clear()
    this.#refused.clear()
    return Effect.logInfo(`connected to NATS at ${server} again`)
  }

  #forbidden(error: PermissionViolation): Effect.Effect<void> {
    const refused = `${error.operation === "publish" ? "publish" : "subscribe"} to ${subjectOf(error)}`
    if (refused === answering) this.#refusedAnswers += 1
    if (refused === answering || this.#refused.size < mostRemembered) this.#refused.add(refused)
    return this.#once(refused, Effect.logError(`NATS does not let this user ${refused}`))
  }

  #reported({ message }: Error): Effect.Effect<void> {
    return this.#once(message, Effect.logWarning(`NATS reports: ${message}`))
  }

  #once(what: string, line: Effect.Effect<void>): Effect.Effect<void> {
    if (this.#told.has(what)) return Effect.void
    if (this.#told.size >= mostRemembered) this.#told.clear()
    this.#told.add(what)
    return line
  }
}
