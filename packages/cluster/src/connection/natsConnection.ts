/** The connection to NATS that everything in this process shares. It reconnects for ever. */
import { errors, type Msg, type NatsConnection as Client, type Status } from "@nats-io/transport-node"
import { Cause, Context, Effect, Layer, Runtime, type Scope } from "effect"
import { askingToAnswer } from "./askingToAnswer.ts"
import { ConnectionNews } from "./connectionNews.ts"
import { LastingSubscription } from "./lastingSubscription.ts"
import { Subscriptions } from "./subscriptions.ts"
import { firstConnection, obstacleOf } from "./firstConnection.ts"
import { type NatsMisconfigured, type NatsRefused, NatsSilent, type NatsUnreachable } from "./natsErrors.ts"
import { Outbox } from "./outbox.ts"
import { checkedNatsOptions } from "./checkedNatsOptions.ts"
import type { NatsOptions } from "./natsOptions.ts"
import { tellWhyAway } from "./tellWhyAway.ts"
import { logPart } from "@sibyl/core/internal"

/** A message as it came. `data` is a view of a larger buffer: what is kept is to be copied. */
export interface NatsMessage {
  readonly subject: string
  readonly data: Uint8Array
  /** Where its sender waits for an answer. */
  readonly reply?: string
  /** Nobody listens where this was sent to be answered here: the server's own answer. */
  readonly tellsOfNobody?: true
}

/** What the server tells of itself. */
export interface NatsServerFacts {
  readonly version: string
  /** Maximum bytes of a message. */
  readonly maxPayloadBytes: number
}

/** A connection. Sending is a plain call without an answer: NATS delivers at most once, and to nobody while it is away. */
interface Connection {
  /** Sends bytes if there is a connection now and they fit into a message; answers whether. */
  readonly publish: (subject: string, data: Uint8Array, reply?: string) => boolean
  /**
   * Calls `onMessage` for each message until the scope closes; of the members of a queue group, one gets each message. Messages
   * arrive only from the moment when the server has the subscription, which `flushed` waits for.
   */
  readonly subscribe: (
    subject: string,
    onMessage: (message: NatsMessage) => void,
    queue?: string
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Sends a request, and waits for the first answer. */
  readonly request: (subject: string, data: Uint8Array, timeoutMs: number) => Effect.Effect<NatsMessage, NatsSilent>
  /** Waits until the server has taken all that was sent before. */
  readonly flushed: Effect.Effect<void, NatsSilent>
  readonly isConnected: () => boolean
  /** Whether the server has all subscriptions, as far as is known: one that it has refused is asked for again from time to time. */
  readonly hearsAll: () => boolean
  /** Whether NATS takes what is sent to inboxes, as far as is known. */
  readonly mayAnswer: () => boolean
  /** Where it does not, tries from time to time to send to an inbox that nobody has, until it does again: for those who have to answer. */
  readonly askingToAnswer: (answerNobody: () => void) => Effect.Effect<never>
  /** What NATS has refused for want of a permission, such as `publish to a.b`; known once `flushed` has waited for the server. */
  readonly refused: () => ReadonlyArray<string>
  /** The server's facts, those of the last one while there is no connection. */
  readonly server: () => NatsServerFacts
}

const silenceOf = (cause: unknown, subject: string): NatsSilent => {
  if (cause instanceof errors.NoRespondersError || (cause instanceof errors.RequestError && cause.isNoResponders())) {
    return new NatsSilent({ why: "nobody", message: `nobody listens on ${subject}` })
  }
  return cause instanceof errors.TimeoutError
    ? new NatsSilent({ why: "late", message: `no answer on ${subject} in time` })
    : new NatsSilent({ why: "disconnected", message: `the connection to NATS ended before there was an answer on ${subject}` })
}

const noResponders = 503

const messageOf = ({ data, headers, reply, subject }: Msg): NatsMessage => ({
  subject,
  data,
  // The client says that there is none with an empty text, to which nothing can be sent.
  ...(reply === undefined || reply === "" ? {} : { reply }),
  ...(headers?.code === noResponders && data.length === 0 ? { tellsOfNobody: true } : {})
})

/** The subject of a subscription that NATS refuses. */
const refusedSubscription = (status: Status): string | undefined =>
  status.type === "error" && status.error instanceof errors.PermissionViolationError && status.error.operation === "subscription"
    ? status.error.subject
    : undefined

const ofCluster = Effect.annotateLogs(logPart("cluster"))

/** Subscribes for as long as a scope is open. */
const subscribing =
  (client: Client, subscriptions: Subscriptions, runtime: Runtime.Runtime<never>): Connection["subscribe"] =>
  (subject, onMessage, queue) => {
    // The client reads no further if a callback throws.
    const onMsg = (message: Msg): void => {
      try {
        onMessage(messageOf(message))
      } catch (fault) {
        Runtime.runFork(runtime)(ofCluster(Effect.logError(`a message on ${subject} could not be handled`, Cause.die(fault))))
      }
    }
    return Effect.acquireRelease(
      Effect.sync(() => {
        const one = new LastingSubscription(client, subject, queue, onMsg)
        subscriptions.add(one)
        return one
      }),
      (one) =>
        Effect.sync(() => {
          subscriptions.delete(one)
          one.close()
        })
    )
  }

const opened = (client: Client, outbox: Outbox, runtime: Runtime.Runtime<never>) => {
  const news = new ConnectionNews()
  const subscriptions = new Subscriptions()
  let facts: NatsServerFacts = { version: "", maxPayloadBytes: 0 }
  const server = (): NatsServerFacts => {
    const { info } = client
    if (info !== undefined) facts = { version: info.version, maxPayloadBytes: info.max_payload }
    return facts
  }
  const follow = async () => {
    for await (const status of client.status()) {
      const refused = refusedSubscription(status)
      if (refused !== undefined) subscriptions.refused(refused)
      Runtime.runFork(runtime)(ofCluster(news.take(status)))
    }
  }
  void follow()
  const isConnected = () => news.isUp && !client.isClosed()
  const flushed = Effect.tryPromise({
    try: () => {
      outbox.flush()
      return client.flush()
    },
    catch: () => new NatsSilent({ why: "disconnected", message: "the connection to NATS ended" })
  })
  // With the first answer, the client knows of a refusal; with the second, it has told us.
  const judged = Effect.zipRight(flushed, flushed)
  const connection: Connection = {
    server,
    isConnected,
    hearsAll: () => subscriptions.areHad,
    mayAnswer: () => news.mayAnswer,
    askingToAnswer: (answerNobody) => ofCluster(askingToAnswer({ news, judged, answerNobody })),
    refused: () => news.refused,
    publish: (subject, data, reply) => {
      if (!isConnected() || data.length > server().maxPayloadBytes) return false
      outbox.send({ subject, data, reply })
      return true
    },
    subscribe: subscribing(client, subscriptions, runtime),
    request: (subject, data, timeoutMs) =>
      isConnected()
        ? Effect.tryPromise({
            try: () => client.request(subject, data, { timeout: timeoutMs }),
            catch: (cause) => silenceOf(cause, subject)
          }).pipe(Effect.map(messageOf))
        : Effect.fail(new NatsSilent({ why: "disconnected", message: "there is no connection to NATS now" })),
    flushed
  }
  return {
    connection,
    asking: subscriptions.asking({ isConnected, judged: Effect.ignore(judged), onAllowed: (subject) => news.allowed(subject) })
  }
}

/** The connection to NATS of this process. */
export class NatsConnection extends Context.Tag("@sibyl/cluster/NatsConnection")<NatsConnection, Connection>() {
  /** Connects, and closes with the scope. Where no server is reached in time, or it refuses us, nothing is left behind. */
  static readonly layer = (options: NatsOptions): Layer.Layer<NatsConnection, NatsMisconfigured | NatsUnreachable | NatsRefused> =>
    Layer.scoped(
      NatsConnection,
      Effect.gen(function* () {
        const checked = yield* checkedNatsOptions(options)
        const client = yield* firstConnection(checked)
        const outbox = new Outbox(({ data, reply, subject }) => {
          // A connection that was lost since: what was sent then is lost as well.
          if (!client.isClosed()) client.publish(subject, data, reply === undefined ? {} : { reply })
        })
        yield* Effect.addFinalizer(() => Effect.sync(() => outbox.flush()))
        const { asking, connection } = opened(client, outbox, yield* Effect.runtime())
        yield* Effect.forkScoped(ofCluster(asking))
        yield* Effect.forkScoped(ofCluster(tellWhyAway(connection.isConnected, obstacleOf(checked))))
        return connection
      })
    )
}
