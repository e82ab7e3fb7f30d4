/** The first connection to NATS: it is made, or there is an error that says why not. Later ones are the client's. */
import { connect, errors, type NatsConnection as Client } from "@nats-io/transport-node"
import { Effect, Schedule, type Scope } from "effect"
import { NatsRefused, NatsUnreachable } from "./natsErrors.ts"
import type { CheckedNatsOptions } from "./checkedNatsOptions.ts"
import { saidAtTheDoor } from "./saidAtTheDoor.ts"

/** Sleeps between the tries of a first connection. */
const firstTryAgainMs = 200

const refusals = [errors.AuthorizationError, errors.UserAuthenticationExpiredError, errors.PermissionViolationError]

/** Errors of Node about a certificate. */
const distrust = /^(?:ERR_TLS_CERT_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|INVALID_|HOSTNAME_MISMATCH)/

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "no reason given")

/** Why a server that was reached is none for us; undefined: it may be one later. */
const refusalOf = (cause: unknown, where: string): string | undefined => {
  if (refusals.some((refusal) => cause instanceof refusal)) return `NATS at ${where} does not accept these credentials`
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  if (distrust.test(code)) return `the certificate of NATS at ${where} is not trusted: ${reasonOf(cause)}`
  return /does not support 'tls'/.test(reasonOf(cause)) ? `NATS at ${where} has no TLS` : undefined
}

const failureOf = (cause: unknown, { client, servers }: CheckedNatsOptions): NatsUnreachable | NatsRefused => {
  const where = servers.join(", ")
  const refusal = refusalOf(cause, where)
  if (client.tls !== undefined && cause instanceof errors.TimeoutError) {
    const message = `NATS at ${where} cannot be reached over TLS: timeout; does it want a certificate of ours that it trusts?`
    return new NatsUnreachable({ servers, message })
  }
  if (cause instanceof errors.TimeoutError) {
    const message = `NATS at ${where} cannot be reached: timeout; is that its port for clients, and may this machine reach it?`
    return new NatsUnreachable({ servers, message })
  }
  // Texts of the client name a reason and at most the address.
  return refusal === undefined
    ? new NatsUnreachable({ servers, message: `NATS at ${where} cannot be reached: ${reasonOf(cause)}` })
    : new NatsRefused({ servers, message: refusal })
}

/** With the reason of the first server that gives one: the client passes on none that comes before it has said who it is. */
const explained = <Failure extends NatsUnreachable | NatsRefused>(failure: Failure): Effect.Effect<Failure | NatsUnreachable> => {
  if (failure._tag === "NatsRefused") return Effect.succeed(failure)
  const { servers } = failure
  return Effect.map(Effect.forEach(servers, saidAtTheDoor, { concurrency: "unbounded" }), (reasons) => {
    const at = reasons.findIndex((reason) => reason !== undefined)
    return at < 0 ? failure : new NatsUnreachable({ servers, message: `NATS at ${servers[at]} takes no connection: ${reasons[at]}` })
  })
}

/** No server that is configured lets us in, and the client goes on with those that they named. */
class Pursued extends Error {}

/**
 * Servers of a cluster name each other, itself included, before they ask who we are. The client takes up each that is named, so that
 * it never comes to the end of those that refuse us. This ends its first connection once all that are configured were tried.
 */
const connectedOrPursued = async ({ client, servers }: CheckedNatsOptions): Promise<Client> => {
  let isThrough = false
  let turns = 0
  const reconnectDelayHandler = (): number => {
    turns += 1
    // By itself the client ends in the turn that finds no server left.
    if (!isThrough && turns > servers.length + 1) throw new Pursued("no server that is configured lets us in")
    return client.reconnectDelayHandler?.() ?? 0
  }
  const made = await connect({ ...client, reconnectDelayHandler })
  isThrough = true
  return made
}

/** Connects to the configured servers alone, whose last one's reason comes out, and closes. */
const tryConfigured = async ({ client }: CheckedNatsOptions): Promise<void> => {
  const made = await connect({ ...client, ignoreClusterUpdates: true })
  await made.close()
}

/** If they let us in now, so be it: the next try will do. */
const reasonOfPursued = async (options: CheckedNatsOptions): Promise<never> => {
  await tryConfigured(options)
  throw new Error("its cluster let nobody in just now")
}

const tried = async (options: CheckedNatsOptions): Promise<Client> => {
  try {
    return await connectedOrPursued(options)
  } catch (cause) {
    if (cause instanceof Pursued) return reasonOfPursued(options)
    throw cause
  }
}

/** What one more try to connect meets, beside the client's own, which it keeps to itself. Undefined: we would be let in. */
export const obstacleOf = (options: CheckedNatsOptions): Effect.Effect<NatsUnreachable | NatsRefused | undefined> =>
  Effect.flatMap(
    Effect.promise(() =>
      tryConfigured(options).then(
        () => undefined,
        (cause: unknown) => failureOf(cause, options)
      )
    ),
    (failure) => (failure === undefined ? Effect.succeed(failure) : explained(failure))
  )

/** The connection once it is made. It is closed with its scope, also where that ends meanwhile: the client cannot be told to stop. */
class MadeOnce {
  #client: Client | undefined
  #isOver = false

  readonly make = async (options: CheckedNatsOptions): Promise<Client> => {
    const client = await tried(options)
    this.#client = client
    if (this.#isOver) await client.close()
    return client
  }

  readonly close = Effect.promise(async () => {
    this.#isOver = true
    await this.#client?.close()
  })
}

/**
 * Connects to one of the servers until the scope closes; tries again while none is reached, and not where one refuses us. Whoever is
 * interrupted meanwhile waits for nothing.
 */
export const firstConnection = (options: CheckedNatsOptions): Effect.Effect<Client, NatsUnreachable | NatsRefused, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new MadeOnce()),
    ({ close }) => close
  ).pipe(
    Effect.flatMap(({ make }) =>
      Effect.tryPromise({ try: () => make(options), catch: (cause) => failureOf(cause, options) }).pipe(
        Effect.retry({
          while: ({ _tag }) => _tag === "NatsUnreachable",
          schedule: Schedule.intersect(Schedule.spaced(firstTryAgainMs), Schedule.recurUpTo(options.firstConnectMs))
        }),
        Effect.catchAll((failure) => Effect.flatMap(explained(failure), Effect.fail))
      )
    )
  )
