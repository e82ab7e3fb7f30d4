/** All open WebSockets of a service: opened after authorization, checked regularly, and closed when their key or the service ends. */
import { Clock, Context, Effect, Layer, Runtime } from "effect"
import { type OutsideTicket, Overloaded, TooManyConnections, type Unauthorized } from "../../contract/errors.ts"
import type { Ledger } from "../../ports/ledger.ts"
import { Tickets } from "../../ports/tickets/tickets.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { Metrics } from "../../ports/metrics/metrics.ts"
import { SharedLimits } from "../../services/settings/sharedLimits.ts"
import { Admission } from "../../services/admission/admission.ts"
import { Feeds } from "../../services/feeds/feeds.ts"
import { SharedFeeds } from "../../services/sharedFeeds/sharedFeeds.ts"
import { Options } from "../../services/settings/serviceOptions.ts"
import { Authorization } from "../access/authorization.ts"
import { AccessLog, writeLine } from "../../services/logs/accessLog.ts"
import { closedLine } from "./closedLine.ts"
import { closings } from "./closing.ts"
import { Connection, type ConnectionHost } from "./connection.ts"
import { LongMessages } from "./longMessages.ts"
import { logFault } from "../execution/failureIn.ts"
import type { RpcServices } from "./rpcMethods.ts"
import { OpenConnections, type Together } from "./openConnections.ts"
import { admit } from "./upgradeAccess.ts"
import { notificationText } from "./rpcView.ts"
import type { Opening, ServiceRequest, Socket } from "../transport/seam.ts"
import { verifyRecordOf } from "../access/verifyView.ts"

/** How often connections are checked. A revoked or expired key is noticed within two intervals. */
const tickMs = 250

/** How many keys are looked up concurrently, so that thousands can be checked within a second even if each lookup is slow. */
const lookupsAtOnce = 16

/** How often connections are checked while the service is ending and waits for them. */
const endingTickMs = 20

/** Why an upgrade is refused. */
export type UpgradeRefused = Unauthorized | OutsideTicket | TooManyConnections | Overloaded

/** Opens connections. */
export class Connections extends Context.Tag("@sibyl/core/Connections")<
  Connections,
  {
    /** Authorizes an upgrade request; the answer opens the connection once the runtime has its socket. */
    readonly upgrade: (request: ServiceRequest) => Effect.Effect<Opening, UpgradeRefused>
    /** Sends every client the answers to what is in flight, then closes; done when all are closed. No new connection is opened. */
    readonly retireAll: Effect.Effect<void>
    /** Closes every connection at once and waits until all are closed; a client that does not answer is cut off. No new connection is opened. */
    readonly closeAll: Effect.Effect<void>
    readonly count: Effect.Effect<number>
  }
>() {
  /** Checks its connections until the layer ends, which closes them. */
  static readonly layer = Layer.scoped(
    Connections,
    Effect.gen(function* () {
      const shared = yield* SharedLimits
      const open = new OpenConnections(shared)
      const admission = yield* Admission
      const authorization = yield* Authorization
      const tickets = yield* Tickets
      const context = yield* Effect.context<Ledger | Options>()
      const { allowedOrigins } = Context.get(context, Options)
      const host = yield* connectionHost(open)
      yield* measure(open)
      yield* watch(open)

      const retireAll = endAll(open, (connection) => connection.retire(closings.shutdown, closing))
      const closeAll = endAll(open, (connection) => connection.close(closings.shutdown, closing))
      yield* Effect.addFinalizer(() => closeAll)

      const withinLimit = (connection: Connection, ownCount: number, max: number) =>
        Effect.map(shared.connectionOpened(connection.principal.apiKeyId), (elsewhere) => {
          if (ownCount + elsewhere > max) connection.close(closings.tooMany, tooMany(max))
        })

      const upgrade = Effect.fnUntraced(function* (request: ServiceRequest) {
        const { principal, protocol, renewed } = yield* admit(authorization, tickets, request, allowedOrigins)
        if (!(yield* admission.isOpen)) return yield* new Overloaded({ message: "the service is draining", retryAfterSeconds: 1 })
        const max = principal.project.limits.connectionsPerKey
        const elsewhere = yield* shared.connectionsElsewhere(principal.apiKeyId)
        if (open.countOf(principal.apiKeyId) + elsewhere >= max) {
          return yield* new TooManyConnections({ message: tooMany(max), details: { maxConnections: max } })
        }
        const authorized = notificationText("authorized", yield* verifyRecordOf(principal))
        const opening = (socket: Socket): Connection => {
          const connection = open.add(new Connection(host, socket, principal, authorized), renewed)
          // Other connections may have opened, or the service may have begun to end, since the upgrade was authorized.
          if (open.isEnding) connection.close(closings.shutdown, closing)
          host.fork(withinLimit(connection, open.countOf(principal.apiKeyId), max))
          return connection
        }
        return protocol === undefined ? opening : Object.assign(opening, { protocol })
      })

      return {
        upgrade: (request) => Effect.provide(upgrade(request), context),
        retireAll,
        closeAll,
        count: Effect.sync(() => open.size)
      }
    })
  ).pipe(Layer.provide(Authorization.layer))
}

const closing = "the service is closing"

const tooMany = (max: number): string => `a key has at most ${max} connections`

/** Shows how many connections there are, and what waits to be sent, until the scope closes. */
const measure = (open: OpenConnections) =>
  Effect.acquireRelease(
    Effect.map(Metrics, ({ read }) => [
      read(metricList.connections, () => open.size),
      read(metricList.outboxBytes, () => open.all().reduce((sum, { bufferedBytes }) => sum + bufferedBytes, 0))
    ]),
    (readings) =>
      Effect.sync(() => {
        for (const end of readings) end()
      })
  )

/** Asks again whether the key of these connections is valid. */
const recheck = ({ connections, renewed }: Together) =>
  Effect.matchCause(renewed, {
    onSuccess: (principal) => {
      for (const connection of connections) connection.principal = principal
    },
    onFailure: (cause) => {
      // An unreachable store does not mean a revoked key.
      if (cause._tag !== "Fail") return
      for (const connection of connections) connection.close(closings.keyEnded, "the key is revoked or expired")
    }
  })

const tickAll = (open: OpenConnections): void => {
  for (const connection of open.all()) connection.tick()
}

/** Checks all connections regularly until the scope closes. */
const watch = (open: OpenConnections) => {
  const revalidate = Effect.suspend(() => Effect.forEach(open.groups(), recheck, { concurrency: lookupsAtOnce, discard: true }))
  // Separate fibers: a slow store must not delay pings.
  return Effect.forEach(
    [Effect.sync(() => tickAll(open)), revalidate],
    (work) => Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(tickMs), work))),
    { discard: true }
  )
}

/** Lets no connection open any more, ends each, and waits until all are closed. */
const endAll = Effect.fnUntraced(function* (open: OpenConnections, end: (connection: Connection) => void) {
  open.isEnding = true
  for (const connection of open.all()) end(connection)
  while (open.size > 0) {
    yield* Effect.sleep(endingTickMs)
    tickAll(open)
  }
})

/** What connections share, on this layer's runtime. */
const connectionHost = (open: OpenConnections) =>
  Effect.gen(function* () {
    const clock = yield* Clock.clockWith(Effect.succeed)
    const runtime = yield* Effect.runtime<RpcServices>()
    const feeds = { own: yield* Feeds, shared: yield* SharedFeeds }
    const metrics = yield* Metrics
    const { isOn, write } = yield* AccessLog
    const nextTurn = (then: () => void): void => {
      Runtime.runFork(runtime)(Effect.zipRight(Effect.sleep(0), Effect.sync(then)))
    }
    const host: ConnectionHost = {
      metrics,
      fork: Runtime.runFork(runtime),
      feeds,
      nowMs: () => Number(clock.unsafeCurrentTimeNanos()) / 1e6,
      nextTurn,
      longMessages: new LongMessages(nextTurn),
      forget: (connection) => open.remove(connection),
      logFault: (what, cause) => {
        Runtime.runFork(runtime)(logFault(what, cause))
      },
      logClosed: (closed) => {
        if (isOn) Runtime.runFork(runtime)(Effect.withFiberRuntime((fiber) => writeLine(write, closedLine(closed), fiber) ?? Effect.void))
      }
    }
    return host
  })
