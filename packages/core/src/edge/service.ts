/** The whole service as one value, made from its ports. */
import { Cause, Clock, Effect, Exit, Fiber, Layer, ManagedRuntime, Runtime, RuntimeFlags, Scheduler } from "effect"
import { Admission } from "../services/admission/admission.ts"
import {
  type CoreServices,
  type DefaultedPorts,
  layerDefaultPorts,
  layerCoreServices,
  type RequiredPorts
} from "../services/coreServices.ts"
import { Credits } from "../services/credits/credits.ts"
import type { Execution } from "../services/execution.ts"
import type { Signing } from "../services/phases/signing.ts"
import type { Tally } from "../services/phases/tally.ts"
import { runtimeInSpan } from "../services/fibers/runtimeInSpan.ts"
import { layerWholeMilliseconds } from "../services/fibers/wholeMilliseconds.ts"
import { Retries } from "../services/retries/retries.ts"
import { Options, type ServiceOptions } from "../services/settings/serviceOptions.ts"
import { Overloaded } from "../contract/errors.ts"
import { webSocketPath } from "../contract/rpc.ts"
import { Entropy, unsafeTimeOrderedUuidOf, unsafeUuidOf } from "../ports/entropy.ts"
import { Freshness } from "../ports/freshness.ts"
import { Metrics } from "../ports/metrics/metrics.ts"
import { Network } from "../ports/network.ts"
import { FeedOwner } from "./feeds/feedOwner.ts"
import { Documents } from "./docs/documents.ts"
import { Connections } from "./ws/connections.ts"
import { malformedHandshake } from "./ws/handshake.ts"
import { maxMessageBytesOf } from "./ws/messageBytes.ts"
import { logRefused } from "./ws/refusedLine.ts"
import { dispatch, failureResponse } from "./rest/dispatch.ts"
import { shareWith } from "./rest/cors.ts"
import { Door } from "./rest/door.ts"
import { afterAnswer, type AnswerRequest, fetchOf } from "./transport/answering.ts"
import { errorResponse } from "./transport/errorResponse.ts"
import { layerRequestServices, type RequestServices } from "./rest/requestServices.ts"
import { ResponseCache } from "./rest/responseCache.ts"
import { PendingAnswers } from "./transport/pendingAnswers.ts"
import { requestMeter } from "./observing/requestMeter.ts"
import { requestObserver } from "./observing/observedRequests.ts"
import { splitTarget } from "./transport/target.ts"
import { hasRepeatedHost, repeatedHost } from "./transport/repeatedHost.ts"
import { matchTarget, routesOf } from "./rest/routes.ts"
import type { DatedResponse } from "./rest/validity.ts"
import type { Service, ServiceRequest, ServiceResponse } from "./transport/seam.ts"

/** What an Effect application may use of one service. */
export type ServiceContext = Execution | Tally | Credits | Signing | RequiredPorts | DefaultedPorts | Network

/** Ports for a service: the required ones, and any default to be replaced. They may use the network and the defaults. */
export type ServicePorts<E, Own = never> = Layer.Layer<RequiredPorts | Own, E, DefaultedPorts | Network>

/** Everything one service consists of. */
const layerWhole = <E, Own>(
  options: ServiceOptions,
  ports: ServicePorts<E, Own>
): Layer.Layer<ServiceContext | Own | Connections | Documents | FeedOwner | RequestServices | CoreServices, E> =>
  Layer.mergeAll(Connections.layer, Documents.layer, FeedOwner.layer, layerRequestServices).pipe(
    Layer.provideMerge(layerCoreServices(options)),
    Layer.provideMerge(layerWholeMilliseconds()),
    Layer.provideMerge(ports),
    Layer.provideMerge(layerDefaultPorts),
    Layer.provideMerge(Network.layer(options.network))
  )

/** The layer of one service for Effect applications: its services, its ports, and what `ports` has of its own, such as `Provisioning` and `Keys`. */
export const layerService: <E, Own>(options: ServiceOptions, ports: ServicePorts<E, Own>) => Layer.Layer<ServiceContext | Own, E> =
  layerWhole

/** How long `dispose` waits for running executions before it interrupts them and voids their holds. */
const drainMs = 45_000

const drain = Effect.gen(function* () {
  const { retire } = yield* FeedOwner
  const retired = yield* Effect.fork(retire)
  // Feeds start nothing more before runs are refused, which would count as failures of theirs.
  yield* Effect.yieldNow()
  yield* (yield* Admission).close
  const settled = Effect.zipRight((yield* Credits).settled, (yield* Retries).settled)
  const { closeAll, retireAll } = yield* Connections
  const ends = [retireAll, settled, Fiber.join(retired)].map((end) => Effect.timeoutOption(end, drainMs))
  yield* Effect.all(ends, { concurrency: "unbounded", discard: true })
  yield* closeAll
})

/** Builds everything, and gives the monotonic time at which that was done. What a port that fails leaves behind is released. */
const openRuntime = async <E>(options: ServiceOptions, ports: ServicePorts<E>) => {
  // Effect would count and time every fiber, for metrics that nobody reads.
  const runtime = ManagedRuntime.make(Layer.provideMerge(layerWhole(options, ports), RuntimeFlags.disableRuntimeMetrics))
  const built = await runtime.runPromiseExit(Clock.currentTimeNanos)
  if (Exit.isSuccess(built)) return { runtime, startedAtNanos: built.value }
  await runtime.dispose()
  // The error itself, which `runPromise` would wrap.
  throw Cause.squash(built.cause)
}

type DrainableRuntime<E> = ManagedRuntime.ManagedRuntime<Effect.Effect.Context<typeof drain>, E>

/** How a service ends: it drains, then everything is released, and then nobody waits for an answer any more. */
class ServiceEnd<E> {
  readonly #runtime: DrainableRuntime<E>
  readonly #pending: PendingAnswers
  #ended: Promise<void> | undefined
  #isReleased = false

  constructor(runtime: DrainableRuntime<E>, pending: PendingAnswers) {
    this.#runtime = runtime
    this.#pending = pending
  }

  get hasBegun(): boolean {
    return this.#ended !== undefined
  }

  /** Whether nothing can be processed any more. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  begin(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<void> {
    // What fails while it drains must not keep the rest from being released.
    await this.#runtime.runPromise(Effect.catchAllCause(drain, (cause) => Effect.logError("draining failed", cause)))
    this.#isReleased = true
    await this.#runtime.dispose()
    this.#pending.end()
  }
}

/**
 * Opens a service: `fetch` answers requests, `dispose` drains and releases everything. Rejects when a port cannot be
 * built. The two methods themselves never reject.
 */
export const openService = async <E>(options: ServiceOptions, ports: ServicePorts<E>): Promise<Service> => {
  const { runtime, startedAtNanos } = await openRuntime(options, ports)
  const [clock, freshness, entropy, { allowedOrigins, limits }, metrics, door, observe] = await runtime.runPromise(
    Effect.all([Clock.clockWith(Effect.succeed), Freshness, Entropy, Options, Metrics, Door, requestObserver])
  )
  const newRequestId = () => unsafeUuidOf(entropy)
  const steadyMs = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
  const clocks = () => ({ steadyMs: steadyMs(), wallMs: clock.unsafeCurrentTimeMillis() })
  const own = await runtime.runtime()
  const cache = new ResponseCache({ clocks, version: freshness.version, requestId: newRequestId })
  const routes = routesOf()
  const meter = requestMeter({ metrics, routes, steadyMs })
  const pending = new PendingAnswers()
  const end = new ServiceEnd(runtime, pending)
  const answer = async (request: ServiceRequest): Promise<DatedResponse | undefined> => {
    const matched = matchTarget(routes, request.url)
    if (matched === undefined) return undefined
    const measured = meter.begin(matched.pattern)
    const requestId = unsafeTimeOrderedUuidOf(entropy, clock)
    const refusal = door.refusal(matched, request, clock)
    if (refusal !== undefined) return measured(errorResponse(refusal, requestId))
    const { signal } = request
    // A client that has already disconnected must not pay for a run.
    if (signal?.aborted === true) return measured(closed(newRequestId()))
    const run = dispatch(matched, { requestId, startedAtNanos, maxUrlBytes: limits.urlBytes }, request)
    const observed = observe(matched, request, requestId)
    const answering = runtimeInSpan(own, observed?.span)
    const exit = await pending.until(Runtime.runPromiseExit(answering)(run, signal === undefined ? {} : { signal }))
    if (exit === undefined) return measured(closed(newRequestId()))
    const left = observed?.ended(exit)
    if (left !== undefined) Runtime.runFork(answering)(left)
    return measured(Exit.isSuccess(exit) ? exit.value : closed(newRequestId()))
  }
  const answerOrRepeat = meter.around(cache.around(answer))
  /** The refusal that applies to every request, whatever its path; `undefined` if the request may be processed. */
  const refusalOf = (request: ServiceRequest): ServiceResponse | undefined => {
    if (hasRepeatedHost(request)) return errorResponse(repeatedHost, newRequestId())
    return end.isReleased ? closed(newRequestId()) : undefined
  }
  /** While the service is ending, no client should reuse the connection. */
  const lastOf = (response: ServiceResponse | undefined): ServiceResponse | undefined =>
    response === undefined || !end.hasBegun ? response : { ...response, headers: { ...response.headers, connection: "close" } }
  const answerOrRefuse: AnswerRequest = (request) => {
    const refusal = refusalOf(request)
    if (refusal === undefined) return afterAnswer(answerOrRepeat(request), lastOf)
    return matchTarget(routes, request.url) === undefined ? undefined : lastOf(refusal)
  }
  const answerAll = shareWith(answerOrRefuse, { allowedOrigins, routes })
  return {
    fetch: fetchOf(answerAll),
    upgrade: async (request) => {
      if (splitTarget(request.url).path !== webSocketPath) return undefined
      const refusal = refusalOf(request)
      if (refusal !== undefined) return refusal
      const malformed = malformedHandshake(request, newRequestId)
      if (malformed !== undefined) return malformed
      const exit = await pending.until(runtime.runPromiseExit(upgrade(request)))
      return exit !== undefined && Exit.isSuccess(exit) ? exit.value : closed(newRequestId())
    },
    maxMessageBytes: maxMessageBytesOf(limits),
    dispose: () => end.begin()
  }
}

const upgrade = (request: ServiceRequest) =>
  Effect.flatMap(Entropy.uuid, (requestId) =>
    Effect.flatMap(Connections, (connections) => connections.upgrade(request)).pipe(
      Effect.catchAllCause((cause) => Effect.tap(failureResponse(cause, requestId), (answer) => logRefused(request, requestId, answer)))
    )
  ).pipe(
    // Not queued behind other work: Bun opens a WebSocket only in the turn of the event loop in which its request arrived.
    Effect.withScheduler(Scheduler.defaultScheduler)
  )

/** The answer after the service has ended, or when the client has disconnected. */
const closed = (requestId: string): ServiceResponse =>
  errorResponse(new Overloaded({ message: "the service is closed", retryAfterSeconds: 1 }), requestId)
