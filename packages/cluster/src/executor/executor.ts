/** An executor: runs the phases of edges behind NATS, without a database and without a key. */
import { Entropy, type HttpFetch } from "@sibyl/core"
import { logPart, toHex } from "@sibyl/core/internal"
import { engineName, ResumableRuntime } from "@sibyl/vm/internal"
import { Context, Effect, Either, Layer, Runtime } from "effect"
import { availableParallelism } from "node:os"
import { Channel } from "../channel/channel.ts"
import { OtherVersions } from "../channel/otherVersions.ts"
import { tryAnswering, tryExecutorSending } from "../channel/trySending.ts"
import { NatsConnection, type NatsMessage } from "../connection/natsConnection.ts"
import { checkNetName } from "../channel/netName.ts"
import type { NatsForbidden, NatsMisconfigured } from "../connection/natsErrors.ts"
import { permitted } from "../connection/permitted.ts"
import { aliveCodec, beatCodec, probeCodec } from "../contract/codec.ts"
import { framesOf } from "../contract/frame.ts"
import { aliveSubject, beatSubject, contractVersion, executorGroup, orderSubject, runSubject } from "../contract/subjects.ts"
import { Attempts } from "./attempts.ts"
import { memberWhile } from "./membership.ts"

/** How large an executor is, and for whom it works. */
export interface ExecutorOptions {
  /** The net that it serves: edges of this net give it runs. All executors of a net have the same outbound policy. Default `default`. */
  readonly net?: string
  /** Edges of the same zone prefer it. Default: none. */
  readonly zone?: string
  /** Workers. Default: one for each processor. */
  readonly workers?: number
  /** What workers are: threads of this process, or processes of their own. Default `thread`. */
  readonly isolation?: "thread" | "process"
  /** The memory of a worker process beyond which it is ended and replaced, in MiB. Default 512. */
  readonly workerMemoryMib?: number
  /** Runs that it has at once: most of them wait for the network. Default: 16 for each worker. */
  readonly places?: number
  /** How long runs may take to end when it stops, in ms. Default 45,000. */
  readonly drainMs?: number
  /** Of our packages, as it is shown. */
  readonly version?: string
}

const beatMs = 200
const placesOfWorker = 16
const idBytes = 8
const nameBytes = 16

/** A running executor. */
export class Executor extends Context.Tag("@sibyl/cluster/Executor")<
  Executor,
  {
    readonly id: string
    /** Runs that it has now. */
    readonly running: () => number
    /** Messages that it could not read. */
    readonly garbageMessages: () => number
  }
>() {
  /** Works as long as its scope is open; then it takes no more, and ends what it has. */
  static readonly layer = (
    options: ExecutorOptions = {}
  ): Layer.Layer<Executor, NatsMisconfigured | NatsForbidden, NatsConnection | HttpFetch | Entropy> => {
    const workers = Math.max(1, options.workers ?? availableParallelism())
    const { isolation = "thread", workerMemoryMib } = options
    const poolSettings = workerMemoryMib === undefined ? { isolation } : { isolation, workerMemoryMib }
    return Layer.provide(Layer.scoped(Executor, opened(options, workers)), ResumableRuntime.layer({ ...poolSettings, workers }))
  }
}

const opened = ({ drainMs = 45_000, net = "default", places, version = "0.1.0", zone = "" }: ExecutorOptions, workers: number) =>
  Effect.gen(function* () {
    yield* checkNetName(net)
    const connection = yield* NatsConnection
    const entropy = yield* Entropy
    const machine = yield* ResumableRuntime
    const runtime = yield* Effect.runtime()
    const clock = yield* Effect.clock
    const nowMs = () => clock.unsafeCurrentTimeMillis()
    const executor = toHex(entropy.unsafeBytes(idBytes))
    const channel = new Channel({ connection, nowMs, name: () => entropy.unsafeBytes(nameBytes) })
    const attempts = new Attempts({
      executor,
      places: places ?? placesOfWorker * workers,
      channel,
      machine,
      runtime,
      nowMs,
      isInTouch: () => connection.hearsAll() && connection.mayAnswer()
    })

    const alive = (body: Uint8Array, { reply }: NatsMessage): void => {
      const probe = probeCodec.decode(body)
      if (Either.isLeft(probe)) return channel.countGarbage()
      if (reply === undefined) return
      const answer = aliveCodec.encode({ unknown: attempts.probed(probe.right) })
      for (const frame of framesOf(answer, connection.server().maxPayloadBytes, () => new Uint8Array(nameBytes))) {
        connection.publish(reply, frame)
      }
    }
    const beat = Effect.sync(() => {
      attempts.look(connection.isConnected())
      // It is there for others as soon as it can work.
      if (machine.readyWorkers() === 0) return
      const { free, takesNone } = attempts
      const told = { id: executor, zone, free, engine: engineName, version, contracts: [contractVersion], atMs: Math.floor(nowMs()) }
      channel.send(beatSubject(net), beatCodec.encode(takesNone ? { ...told, takesNone } : told))
    })

    yield* connection.subscribe(aliveSubject(executor), channel.listener({ body: alive }))
    const orders = channel.listener({ body: attempts.ordered })
    yield* connection.subscribe(orderSubject(net, executor), orders)
    // Nobody acts on what is sent here, and nobody knows yet of this executor.
    tryExecutorSending(net, connection)
    yield* permitted(connection, "an executor")
    yield* Effect.addFinalizer(() => Effect.ignore(connection.flushed))
    const otherVersions = new OtherVersions()
    const otherVersion = (version: number): void => {
      const line = otherVersions.line(version, `servers of net ${net}`, "this executor")
      if (line !== undefined) Runtime.runFork(runtime)(Effect.annotateLogs(Effect.logWarning(line), logPart("cluster")))
    }
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(beat, Effect.sleep(beatMs))))
    yield* Effect.forkScoped(connection.askingToAnswer(() => tryAnswering(connection)))
    yield* Effect.addFinalizer(() => attempts.drain(drainMs))
    // The last that is opened is the first that is closed: no more tasks for any executor.
    const tasks = channel.listener({ body: attempts.ordered, otherVersion })
    yield* memberWhile(connection.mayAnswer, connection.subscribe(runSubject(net), tasks, executorGroup))
    yield* permitted(connection, "an executor")
    return { id: executor, running: () => attempts.book.count, garbageMessages: () => channel.garbageMessages }
  })
