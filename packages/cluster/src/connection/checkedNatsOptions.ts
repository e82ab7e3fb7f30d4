/** The options of a connection to NATS, checked, and what its client is told. */
import { credsAuthenticator, nkeyAuthenticator, type NodeConnectionOptions, tokenAuthenticator } from "@nats-io/transport-node"
import { Effect, Redacted } from "effect"
import { NatsMisconfigured } from "./natsErrors.ts"
import { readNatsFile } from "./natsFile.ts"
import type { NatsOptions, NatsTls } from "./natsOptions.ts"
import { nextServer } from "./nextServer.ts"
import { identityOf } from "./serverIdentity.ts"

/** The options as they are used: addresses without user information, and secrets apart. */
export interface CheckedNatsOptions {
  /** `host:port` as in messages. */
  readonly servers: ReadonlyArray<string>
  readonly client: NodeConnectionOptions
  readonly firstConnectMs: number
}

/** After a lost connection, ms between two tries, and as much again by chance at most. */
const reconnectMs = 50

/** An idle connection is looked at this often; two pings without an answer end it. */
const pingIntervalMs = 1_000

/** How long one try to connect may take, in ms; and at least, however short the time for the first connection is. */
const [connectMs, leastConnectMs] = [5_000, 1_000]

const refused = (field: string, message: string): Effect.Effect<never, NatsMisconfigured> =>
  Effect.fail(new NatsMisconfigured({ field, message: `${field} ${message}` }))

const addressOf = (text: string): Effect.Effect<URL, NatsMisconfigured> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^(?:nats|tls):$/.test(url.protocol) || url.hostname === "") {
    return refused("servers", "are written nats://host:port or tls://host:port")
  }
  // An address is shown in messages and process lists.
  if (url.username !== "" || url.password !== "") return refused("servers", "contain no user or password: these have options of their own")
  return Effect.succeed(url)
}

const waysIn = ["user", "token", "nkeySeed", "credentialsFile"] as const

const authenticatorOf = (options: NatsOptions): Effect.Effect<NodeConnectionOptions, NatsMisconfigured> => {
  const given = waysIn.filter((way) => options[way] !== undefined)
  if (given.length > 1) return refused(given.join(" and "), "exclude each other")
  if (options.password !== undefined && options.user === undefined) return refused("password", "needs a user")
  if (options.user !== undefined) {
    const { password, user } = options
    return Effect.succeed({ user, ...(password === undefined ? {} : { pass: Redacted.value(password) }) })
  }
  if (options.token !== undefined) return Effect.succeed({ authenticator: tokenAuthenticator(Redacted.value(options.token)) })
  if (options.nkeySeed !== undefined) {
    const seed = new TextEncoder().encode(Redacted.value(options.nkeySeed))
    const authenticator = nkeyAuthenticator(seed)
    return Effect.as(
      Effect.try({
        try: () => authenticator("a nonce"),
        catch: () => new NatsMisconfigured({ field: "nkeySeed", message: "nkeySeed is not the seed of a user" })
      }),
      { authenticator }
    )
  }
  const { credentialsFile: path } = options
  if (path === undefined) return Effect.succeed({})
  return Effect.flatMap(readNatsFile("credentialsFile", path), (bytes) =>
    Effect.try({
      try: () => {
        const authenticator = credsAuthenticator(bytes)
        authenticator("a nonce")
        return { authenticator }
      },
      catch: () => new NatsMisconfigured({ field: "credentialsFile", message: `credentialsFile ${path} cannot be read as credentials` })
    })
  )
}

/** The files of TLS: the client reads them again with each connection, and tells of none that is missing which it is. */
const checkFiles = (tls: NatsTls): Effect.Effect<void, NatsMisconfigured> =>
  Effect.forEach(Object.entries(tls) as ReadonlyArray<readonly [string, string]>, ([field, path]) => readNatsFile(field, path), {
    discard: true
  })

/** Checks the options; files are read. */
export const checkedNatsOptions = (options: NatsOptions): Effect.Effect<CheckedNatsOptions, NatsMisconfigured> =>
  Effect.gen(function* () {
    if (options.servers.length === 0) return yield* refused("servers", "name at least one server")
    const urls = yield* Effect.forEach(options.servers, addressOf)
    const servers = urls.map(({ host, port }) => (port === "" ? `${host}:4222` : host))
    const authentication = yield* authenticatorOf(options)
    const { tls = urls.some(({ protocol }) => protocol === "tls:") ? {} : undefined } = options
    if (tls !== undefined) yield* checkFiles(tls)
    const secured = tls === undefined ? undefined : { ...tls, checkServerIdentity: identityOf(urls.map(({ hostname }) => hostname)) }
    const { firstConnectMs = 10_000 } = options
    return {
      servers,
      firstConnectMs,
      client: {
        servers,
        name: options.name ?? "sibyl",
        ...authentication,
        ...(secured === undefined ? {} : { tls: secured }),
        maxReconnectAttempts: -1,
        // A user that is set up again after a mistake needs no restart of ours.
        ignoreAuthErrorAbort: true,
        reconnectDelayHandler: () => reconnectMs + Math.random() * reconnectMs,
        reconnectToServer: nextServer,
        pingInterval: pingIntervalMs,
        maxPingOut: 2,
        timeout: Math.min(connectMs, Math.max(leastConnectMs, firstConnectMs))
      }
    }
  })
