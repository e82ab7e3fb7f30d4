/** An edge: one of several processes that serve on one port. It does what its supervisor says. */
import { Cause, Effect, Exit } from "effect"
import { exitCodes } from "../../output/failure.ts"
import { survivesUnreadOutput } from "../../output/unreadOutput.ts"
import type { Listen } from "../listen/listening.ts"
import { listenFor, openOracle } from "../openOracle.ts"
import { AskedLimits } from "./askedLimits.ts"
import { EdgeRelay } from "./edgeRelay.ts"
import { AskedMetrics } from "./askedMetrics.ts"
import type { FromEdge, ToEdge } from "./edgeMessages.ts"
import { configurationIn, type EdgeOrder } from "./edgeOrder.ts"
import { RemoteWriter } from "./remoteWriter.ts"

/** `sent` is called when the message has left, or cannot. */
const tell = (message: FromEdge, sent: () => void = () => {}): void => {
  if (process.connected) process.send?.(message, undefined, undefined, sent)
  else sent()
}

/** What an edge shares with the others. */
interface EdgeParts {
  readonly limits: AskedLimits
  readonly writer: RemoteWriter
  readonly relay: EdgeRelay
  readonly metrics: AskedMetrics
}

const serveOrder = (listen: Listen, order: EdgeOrder, { limits, metrics, relay, writer }: EdgeParts) =>
  Effect.scoped(
    Effect.gen(function* () {
      const configuration = configurationIn(order)
      const shared = { isFirst: order.isFirst, limits: limits.layer, connectWriter: writer.connect, feedRelay: relay.layer }
      const oracle = yield* openOracle(configuration, configuration.outbound, shared)
      const listening = yield* listenFor(listen, oracle, configuration, { read: metrics.read, isEdge: true })
      tell({ kind: "listening", ...listening })
      return yield* Effect.never
    })
  )

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return Cause.isFailure(cause) && error instanceof Error ? error.message : Cause.pretty(cause)
}

const end = (exit: Exit.Exit<never, unknown>): void => {
  if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return process.exit(exitCodes.ok)
  tell({ kind: "failed", message: reasonOf(exit.cause) }, () => process.exit(exitCodes.failed))
}

const begin = (listen: Listen, { order, scope }: Extract<ToEdge, { readonly kind: "start" }>): void => {
  const limits = new AskedLimits(tell)
  const writer = new RemoteWriter(tell)
  const relay = new EdgeRelay(tell, scope)
  const metrics = new AskedMetrics(tell)
  const fiber = Effect.runFork(serveOrder(listen, order, { limits, writer, relay, metrics }))
  const drain = (): void => fiber.unsafeInterruptAsFork(fiber.id())
  fiber.addObserver(end)
  process.on("SIGTERM", drain)
  process.on("message", (message: ToEdge) => {
    if (message.kind === "drain") drain()
    else if (message.kind === "written" || message.kind === "writerLost") writer.heard(message)
    else if (message.kind === "news") relay.heard(message)
    else if (message.kind === "tellMetrics" || message.kind === "allMetrics") metrics.heard(message)
    else if (message.kind !== "start") limits.heard(message)
  })
}

/** Serves what the supervisor orders, drains when it says so or on SIGTERM, and ends at once when the supervisor has. */
export const runEdge = (listen: Listen): void => {
  survivesUnreadOutput()
  // Ctrl-C and the end of a terminal reach each of its processes: the supervisor decides what they mean.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {})
  process.once("disconnect", () => process.exit(exitCodes.failed))
  process.once("message", (message: ToEdge) => {
    if (message.kind === "start") begin(listen, message)
    else process.exit(exitCodes.ok)
  })
  tell({ kind: "ready" })
}
