/** A user of NATS that loses a permission while it works: runs end elsewhere or with an error, and all is well once it has it again. */
import { DataProxies, Entropy, HttpFetch, Network, ProgramRuntime, Signer, type StorageView } from "@sibyl/core"
import { callingProgram } from "@sibyl/testing/wasm"
import { Cause, Context, Effect, Either, Exit, Fiber, Layer, Logger, Redacted } from "effect"
import { expect, it } from "vitest"
import { NatsConnection } from "./connection/natsConnection.ts"
import { layerRemoteRuntime } from "./edge/layerRemoteRuntime.ts"
import { Executor } from "./executor/executor.ts"
import { surveyNet } from "./survey/surveyNet.ts"
import { eventually } from "./testdata/eventually.ts"
import { echo, ready, requestFor, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"

/** Two executors' users and an edge's; what is taken away from a user is left out. */
const configuration = (taken: Readonly<Record<string, ReadonlyArray<string>>> = {}): string => {
  const executor = {
    publish: ["sibyl.beat.default", "_INBOX.>"],
    subscribe: ["sibyl.run.default", "sibyl.run.default.at.*", "sibyl.alive.*"]
  }
  const edge = {
    publish: ["sibyl.run.default", "sibyl.run.default.at.*", "sibyl.alive.*"],
    subscribe: ["sibyl.beat.default", "_INBOX.>"]
  }
  const users = Object.entries({ one: executor, two: executor, edge }).map(([user, permissions]) => {
    const left = (subjects: ReadonlyArray<string>) => subjects.filter((subject) => !(taken[user] ?? []).includes(subject))
    return JSON.stringify({
      user,
      password: "p",
      permissions: { publish: left(permissions.publish), subscribe: left(permissions.subscribe) }
    })
  })
  return `authorization { users = [\n${users.join("\n")}\n] }`
}

const orders = "sibyl.run.default.at.*"

const connected = (url: string, user: string) => NatsConnection.layer({ servers: [url], user, password: Redacted.make("p") })

const executorOf = (url: string, user: string) =>
  Executor.layer({ workers: 1 }).pipe(
    Layer.provide([connected(url, user), Layer.succeed(HttpFetch, { fetch: echo }), Entropy.layer]),
    Layer.build,
    Effect.map((context) => Context.get(context, Executor))
  )

const edgeOf = (url: string) =>
  layerRemoteRuntime().pipe(
    Layer.provide([
      connected(url, "edge"),
      Entropy.layer,
      Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1))),
      DataProxies.layerMemory([]),
      Network.layer({ name: "test", chainId: "sibyl-1-test" })
    ]),
    Layer.build,
    Effect.map((context) => Context.get(context, ProgramRuntime))
  )

/** A program that reads its storage, which its executor asks the edge for. */
const reading = callingProgram([{ kind: "read", key: "01" }])

/** A store whose answers wait for a sign. */
const storeThatWaits = () => {
  let [isAsked, goOn] = [false, () => {}]
  const sign = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const read = () => {
    isAsked = true
    return Effect.promise(() => sign.then((): StorageView => ({ values: new Map([["01", "aabb"]]), keyCount: 1 })))
  }
  return { storage: { read }, isAsked: () => isAsked, goOn: () => goOn() }
}

/** Keeps the lines of the log. */
const logging = (lines: Array<string>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void lines.push(String(message)))
  )

describeNats("a permission that is lost at work", () => {
  it("to hear orders: runs that wait for an answer go on elsewhere, the log names the executor, and it works again once it may", () => {
    const lines: Array<string> = []
    return run(
      Effect.gen(function* () {
        const nats = yield* startNats({ configuration: configuration() })
        const one = yield* executorOf(nats.url, "one")
        const edge = yield* edgeOf(nats.url)
        yield* ready(edge)
        const store = storeThatWaits()
        const underWay = yield* Effect.fork(edge.run(requestFor(reading, { storage: store.storage })))
        yield* eventually(() => store.isAsked())
        yield* nats.reload(configuration({ one: [orders] }))
        yield* eventually(() => lines.some((line) => line.startsWith("NATS does not let this user subscribe to sibyl.run.default.at.")))
        store.goOn()
        const two = yield* executorOf(nats.url, "two")
        const moved = yield* Fiber.join(underWay)
        expect(moved.exitCode).toBe(0)
        expect(lines.filter((line) => line.startsWith("executor "))).toEqual([expect.stringContaining(`executor ${one.id} does not hear`)])
        yield* eventually(() => one.running() === 0)
        yield* nats.reload(configuration({ two: [orders, "sibyl.run.default"] }))
        yield* eventually(() => lines.some((line) => line.startsWith("NATS lets this user subscribe to sibyl.run.default.at.")))
        yield* eventually(() =>
          lines.some((line) => line.startsWith(`NATS does not let this user subscribe to sibyl.run.default.at.${two.id}`))
        )
        expect((yield* edge.run(requestFor(reading, { storage: store.storage }))).exitCode).toBe(0)
      }).pipe(Effect.provide(logging(lines)))
    )
  }, 120_000)

  it("to answer: the executor gets no more tasks, from nobody, and some again once it may", () => {
    const lines: Array<string> = []
    return run(
      Effect.gen(function* () {
        const nats = yield* startNats({ configuration: configuration() })
        yield* executorOf(nats.url, "one")
        const edge = yield* edgeOf(nats.url)
        yield* ready(edge)
        const watcher = Context.get(yield* Layer.build(connected(nats.url, "edge")), NatsConnection)
        /** Whether nobody is in the group that gets tasks; what is sent is none. */
        const isGroupEmpty = Effect.map(Effect.either(watcher.request("sibyl.run.default", new Uint8Array(), 100)), (answer) =>
          Either.isLeft(answer) ? answer.left.why === "nobody" : false
        )
        expect(yield* isGroupEmpty).toBe(false)
        const store = storeThatWaits()
        const underWay = yield* Effect.fork(edge.run(requestFor(reading, { storage: store.storage })))
        yield* eventually(() => store.isAsked())
        yield* nats.reload(configuration({ one: ["_INBOX.>"] }))
        yield* Effect.repeat(isGroupEmpty, { until: (isEmpty) => isEmpty })
        expect(lines.filter((line) => line.includes("_INBOX"))).toEqual(["NATS does not let this user publish to _INBOX.>"])
        const offers = Effect.map(surveyNet("default", 500), ({ executors }) => executors.map(({ free }) => free))
        yield* Effect.provideService(Effect.repeat(offers, { until: (free) => free.join() === "0" }), NatsConnection, watcher)
        store.goOn()
        yield* executorOf(nats.url, "two")
        expect((yield* Fiber.join(underWay)).exitCode).toBe(0)
        yield* nats.reload(configuration({ two: ["_INBOX.>"] }))
        yield* eventually(() => lines.includes("NATS lets this user publish to _INBOX.> again"))
        yield* Effect.repeat(edge.run(requestFor(reading, { storage: store.storage })), {
          until: () => lines.filter((line) => line === "NATS does not let this user publish to _INBOX.>").length === 2
        })
        expect((yield* edge.run(requestFor(reading, { storage: store.storage }))).exitCode).toBe(0)
      }).pipe(Effect.provide(logging(lines)))
    )
  }, 120_000)

  it("to send orders: a run that waits for an answer is refused, with nothing charged, and runs are made again once it may", () => {
    const lines: Array<string> = []
    return run(
      Effect.gen(function* () {
        const nats = yield* startNats({ configuration: configuration() })
        yield* executorOf(nats.url, "one")
        const edge = yield* edgeOf(nats.url)
        yield* ready(edge)
        const store = storeThatWaits()
        const underWay = yield* Effect.fork(edge.run(requestFor(reading, { storage: store.storage })))
        yield* eventually(() => store.isAsked())
        yield* nats.reload(configuration({ edge: [orders] }))
        const forbidden = (line: string) => line.startsWith("NATS does not let this user publish to sibyl.run.default.at.")
        // A run without storage asks nothing; that its end was heard is an order.
        yield* Effect.repeat(edge.run(requestFor(reading)), { until: () => lines.some(forbidden) })
        store.goOn()
        const exit = yield* Fiber.await(underWay)
        const failure = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        expect(failure).toMatchObject({ _tag: "Overloaded", message: expect.stringMatching(/its executor was lost.*nothing was charged/) })
        yield* nats.reload(configuration())
        expect((yield* edge.run(requestFor(reading, { storage: store.storage }))).exitCode).toBe(0)
      }).pipe(Effect.provide(logging(lines)))
    )
  }, 120_000)
})
