/** Serves a configuration with several processes on one port, until it is interrupted. */
import { Deferred, Effect, Fiber, Scope } from "effect"
import { announce } from "../announce.ts"
import { demonstrate } from "../demo/demonstrate.ts"
import type { ForkEdge } from "../listen/listening.ts"
import { openOracle } from "../openOracle.ts"
import { prepare, type ServeSettings } from "../serve.ts"
import { claimPort } from "./claimPort.ts"
import { type EdgeOrder, edgeOrder } from "./edgeOrder.ts"
import { EdgePlace } from "./edgePlace.ts"
import type { EdgeProcess } from "./edgeProcess.ts"
import { type Addressed, SharedCounts } from "./sharedCounts.ts"

const send = (messages: ReadonlyArray<Addressed<EdgeProcess>>): void => {
  for (const { message, to } of messages) to.tell(message)
}

/** Starts an edge for each order and keeps it running. When the scope closes, all are told to drain, and have ended. */
const startEdges = (forkEdge: ForkEdge, orders: ReadonlyArray<EdgeOrder>) =>
  Effect.gen(function* () {
    const shared = new SharedCounts<EdgeProcess>(orders.length)
    const draining = yield* Deferred.make<void>()
    const ground = {
      forkEdge,
      draining,
      heard: (edge: EdgeProcess, message: Parameters<typeof shared.heard>[1]) => send(shared.heard(edge, message)),
      gone: (edge: EdgeProcess) => send(shared.gone(edge))
    }
    const places = yield* Effect.forEach(orders, (order, index) => EdgePlace.make(ground, order, `edge ${index + 1}`))
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
    return { listening: first ?? (yield* Effect.dieMessage("a server without edges")), supervising }
  })

/**
 * Serves with as many edges as the configuration says, each a process with a service of its own. This process answers no requests: it
 * replaces an edge that has ended, counts what the edges share, and drains them when it is interrupted.
 */
export const superviseEdges = (forkEdge: ForkEdge, settings: ServeSettings) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { configuration, demo, json } = settings
      const outbound = yield* prepare(settings)
      const port = yield* claimPort(configuration)
      const serving = yield* Effect.scope
      const supervising = yield* Effect.scoped(
        Effect.gen(function* () {
          // Opened here first, alone: schema, signing key and what a crash has left are put in order once, and a failure is said once.
          const oracle = yield* openOracle({ ...configuration, workers: 1 }, outbound)
          const orders = Array.from({ length: configuration.edges }, (_, index) => edgeOrder(configuration, outbound, port, index))
          const { listening, supervising } = yield* Scope.extend(startEdges(forkEdge, orders), serving)
          const demonstrating = demo ? demonstrate(oracle, configuration.data, listening.url) : Effect.succeed(undefined)
          yield* announce({ listening, configuration }, json, demonstrating)
          return supervising
        })
      )
      // It never ends by itself; a defect in it ends the server.
      yield* Fiber.join(supervising)
      return yield* Effect.never
    })
  )
