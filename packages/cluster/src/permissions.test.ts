/** Whoever may not do all that its role needs at NATS does not start, and says what is missing; each permission in turn. */
import { DataProxies, Entropy, HttpFetch, Network, Signer } from "@sibyl/core"
import { Effect, Either, Layer, Logger, LogLevel, Redacted } from "effect"
import { expect, it } from "vitest"
import { NatsConnection } from "./connection/natsConnection.ts"
import { layerRemoteRuntime } from "./edge/layerRemoteRuntime.ts"
import { Executor } from "./executor/executor.ts"
import { echo, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"

/** As in docs/SCALING.md, without feeds. */
const edge = {
  publish: ["sibyl.run.default", "sibyl.run.default.at.*", "sibyl.alive.*"],
  subscribe: ["sibyl.beat.default", "_INBOX.>"]
}
const executor = {
  publish: ["sibyl.beat.default", "_INBOX.>"],
  subscribe: ["sibyl.run.default", "sibyl.run.default.at.*", "sibyl.alive.*"]
}
type Permissions = typeof edge

/** The role's permissions, and users that lack one of them each. */
const usersOf = (role: "edge" | "executor", all: Permissions) => [
  { user: role, permissions: all, lacks: undefined },
  ...(["publish", "subscribe"] as const).flatMap((operation) =>
    all[operation].map((subject, at) => ({
      user: `${role}.${operation}.${at}`,
      permissions: { ...all, [operation]: all[operation].filter((other) => other !== subject) },
      lacks: `${operation} to ${subject}`
    }))
  )
]

const users = { edge: usersOf("edge", edge), executor: usersOf("executor", executor) }

const configuration = (): string => {
  const written = [...users.edge, ...users.executor].map(({ permissions, user }) => JSON.stringify({ user, password: "p", permissions }))
  return `authorization { users = [\n${written.join("\n")}\n] }`
}

const connected = (url: string, user: string) => NatsConnection.layer({ servers: [url], user, password: Redacted.make("p") })

const openExecutor = (url: string, user: string) =>
  Executor.layer({ workers: 1 }).pipe(Layer.provide([connected(url, user), Layer.succeed(HttpFetch, { fetch: echo }), Entropy.layer]))

const openEdge = (url: string, user: string) =>
  layerRemoteRuntime().pipe(
    Layer.provide([
      connected(url, user),
      Entropy.layer,
      Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1))),
      DataProxies.layerMemory([]),
      Network.layer({ name: "test", chainId: "sibyl-1-test" })
    ])
  )

/** What was refused, with this one's own names as `*`. */
const refusedOf = <A, E extends { readonly message: string }>(layer: Layer.Layer<A, E>) =>
  Effect.map(Effect.either(Effect.scoped(Layer.build(layer))), (either) =>
    Either.isRight(either)
      ? undefined
      : "refused" in either.left
        ? (either.left.refused as ReadonlyArray<string>).map((text) => text.replace(/(?<=\.)(?:survey|[0-9a-f]{16})$/, "*"))
        : either.left.message
  )

describeNats("a start", () => {
  it("of an executor or edge that may not do what it needs fails with what that is", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats({ configuration: configuration() })
        for (const { lacks, user } of users.executor) {
          expect([user, yield* refusedOf(openExecutor(url, user))]).toEqual([user, lacks && [lacks]])
        }
        for (const { lacks, user } of users.edge) {
          const refused = yield* refusedOf(openEdge(url, user))
          const shown = typeof refused === "object" ? refused.map((text) => text.replace(/_INBOX\..*/, "_INBOX.>")) : refused
          expect([user, shown]).toEqual([user, lacks && [lacks]])
        }
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
    ))

  it("tells in its message what is missing", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats({ configuration: configuration() })
        const { message } = yield* Effect.flip(Effect.scoped(Layer.build(openExecutor(url, "edge"))))
        expect(message).toMatch(
          /^NATS does not let this user do what an executor does: it may not subscribe to sibyl\.alive\.\w{16}; .*publish to sibyl\.beat\.default/
        )
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
    ))
})
