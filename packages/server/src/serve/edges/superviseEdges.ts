/** Serves a configuration with several processes on one port, until it is interrupted. */
import { randomUUID } from "node:crypto"
import { shareSqliteWriter, type SharedWriter } from "@sibyl/sql"
import { Deferred, Effect, Fiber, Scope } from "effect"
import { announce } from "../announce.ts"
import { demonstrate } from "../demo/demonstrate.ts"
import { endsInTime } from "../endsInTime.ts"
import type { ForkEdge } from "../listen/listening.ts"
import { logged } from "../observe.ts"
import { openOracle } from "../openOracle.ts"
import { sqliteFileOf } from "../../service/stores.ts"
import type { Configuration } from "../../config/configuration.ts"
import { prepare } from "../serve.ts"
import type { ServeSettings } from "../serveSettings.ts"
import { claimPort } from "../listen/claimPort.ts"
import { type EdgeOrder, edgeOrder } from "./edgeOrder.ts"
import { EdgePlace, type Ground } from "./edgePlace.ts"
import type { EdgeProcess } from "./edgeProcess.ts"
import { type Addressed, SharedCounts } from "./sharedCounts.ts"
import { GatheredMetrics } from "../../supervision/gatheredMetrics.ts"
import { accessOf, noMetrics, shownInDemo } from "../metrics/metricsAccess.ts"
import { listenForMetrics, type ReadMetrics } from "../metrics/serveMetrics.ts"
import { NewsSwitch } from "./newsSwitch.ts"
import { WriterBridge } from "./writerBridge.ts"

const send = (messages: ReadonlyArray<Addressed<EdgeProcess>>): void => {
  for (const { message, to } of messages) to.tell(message)
}

/** Starts an edge for each order and keeps it running. When the scope closes, all are told to drain, and have ended. */
const startEdges = (
  forkEdge: ForkEdge,
  orders: ReadonlyArray<EdgeOrder>,
  writer: SharedWriter | undefined,
  readExecutors: ReadMetrics | undefined
) =>
  Effect.gen(function* () {
    const shared = new SharedCounts<EdgeProcess>(orders.length)
    const news = new NewsSwitch<EdgeProcess>()
    const bridge = writer === undefined ? undefined : new WriterBridge<EdgeProcess>(writer)
    const metrics = new GatheredMetrics<EdgeProcess>(() => places.flatMap(({ process }) => (process === undefined ? [] : [process])))
    const read: ReadMetrics = async () => (await Promise.all([metrics.gather(), readExecutors?.() ?? []])).flat()
    const draining = yield* Deferred.make<void>()
    const ground: Ground = {
      forkEdge,
      draining,
      scope: randomUUID(),
      heard: (edge, message) => send(shared.heard(edge, message)),
      aboutFeeds: (edge, message) => send(news.heard(edge, message)),
      aboutMetrics: (edge, message) => {
        if (message.kind === "metrics") metrics.heard(edge, message)
        else void read().then((ofEdges) => edge.tell({ kind: "allMetrics", ask: message.ask, ofEdges }))
      },
      write: (edge, { link, messages }) => bridge?.write(edge, link, messages),
      gone: (edge) => {
        bridge?.gone(edge)
        metrics.gone(edge)
        news.gone(edge)
        send(shared.gone(edge))
      }
    }
    const places: ReadonlyArray<EdgePlace> = yield* Effect.forEach(orders, (order, index) =>
      EdgePlace.make(ground, order, `edge ${index + 1}`)
    )
    const running = Effect.all(
      places.map(({ run }) => run),
      { concurrency: "unbounded", discard: true }
    )
    // Interruptible, or a pause would not end when draining begins: what acquires is not.
    const supervising = yield* Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(running)), (fiber) =>
      Effect.gen(function* () {
        yield* Deferred.succeed(draining, undefined)
        for (const place of places) place.tell({ kind: "drain" })
        yield* Fiber.await(fiber)
      })
    )
    const [first] = yield* Effect.all(
      places.map(({ listening }) => listening),
      { concurrency: "unbounded" }
    )
    return { listening: first ?? (yield* Effect.dieMessage("a server without edges")), supervising, read }
  })

/** The one that writes for all edges, if the database is a SQLite file; it ends after them. */
const sharedWriter = ({ database }: Configuration) => {
  const filename = sqliteFileOf(database)
  if (filename === undefined) return Effect.succeed(undefined)
  return Effect.acquireRelease(
    Effect.sync(() => shareSqliteWriter(filename)),
    (writer) => Effect.promise(() => writer.close())
  )
}

/**
 * Serves with as many edges as the configuration says, each a process with a service of its own. This process answers no requests: it
 * replaces an edge that has ended, counts what the edges share, and drains them when it is interrupted.
 */
export const superviseEdges = (forkEdge: ForkEdge, settings: ServeSettings) =>
  logged(
    settings.configuration,
    Effect.gen(function* () {
      const ready = yield* endsInTime()
      const { demo, json } = settings
      const metrics = shownInDemo(settings.configuration.metrics, demo)
      const configuration = { ...settings.configuration, metrics }
      const access = accessOf(metrics)
      const outbound = yield* prepare(settings)
      const port = yield* claimPort(configuration)
      const writer = yield* sharedWriter(configuration)
      const serving = yield* Effect.scope
      const supervising = yield* Effect.scoped(
        Effect.gen(function* () {
          // Opened here first, alone: schema, signing key and what a crash has left are put in order once, and a failure is said once.
          const oracle = yield* openOracle(
            { ...configuration, workers: 1, isolation: "thread", metrics: noMetrics, otlp: undefined },
            outbound
          )
          const orders = Array.from({ length: configuration.edges }, (_, index) => edgeOrder(configuration, outbound, port, index))
          const { listening, read, supervising } = yield* Scope.extend(
            startEdges(forkEdge, orders, writer, settings.running?.readMetrics),
            serving
          )
          let metricsUrl = listening.metrics
          if (access !== undefined && metrics.own !== undefined) {
            metricsUrl = yield* Scope.extend(listenForMetrics(metrics.own, { access, read }), serving)
          }
          const demonstrating = demo ? demonstrate(oracle, configuration.data, listening.url) : Effect.succeed(undefined)
          const shown = metricsUrl === undefined ? listening : { ...listening, metrics: metricsUrl }
          yield* announce({ ...settings, listening: shown }, json, demonstrating)
          return supervising
        })
      )
      yield* ready
      // It never ends by itself; a defect in it ends the server.
      yield* Fiber.join(supervising)
      return yield* Effect.never
    }).pipe(Effect.scoped)
  )
