/** The process of an executor that `sibyl cluster` has started: it works as ordered until it is told to drain. */
import { Cause, Effect, Exit } from "effect"
import { exitCodes } from "../output/failure.ts"
import { survivesUnreadOutput } from "../output/unreadOutput.ts"
import { logged } from "../serve/observe.ts"
import { measuring } from "../service/measuring.ts"
import type { FromExecutor, ToExecutor } from "./executorOrder.ts"
import { settingsIn } from "./executorOrder.ts"
import { type ExecutorSettings, observedOf, openExecutor } from "./openExecutor.ts"

/** `sent` is called when the message has left, or cannot. */
const tell = (message: FromExecutor, sent: () => void = () => {}): void => {
  if (process.connected) process.send?.(message, undefined, undefined, sent)
  else sent()
}

const work = (settings: ExecutorSettings) =>
  logged(
    observedOf(settings),
    Effect.scoped(
      Effect.gen(function* () {
        const { id } = yield* openExecutor(settings)
        tell({ kind: "working", executor: id })
        return yield* Effect.never
      })
    )
  )

const end = (exit: Exit.Exit<never, Error>): void => {
  if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return process.exit(exitCodes.ok)
  const error = Cause.squash(exit.cause)
  tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) }, () => process.exit(exitCodes.failed))
}

/** Works as ordered, drains when it is told to, and ends at once when the one that started it has. */
export const runExecutor = (): void => {
  survivesUnreadOutput()
  // Ctrl-C and the end of a terminal reach each of its processes, and a stopping service each of its own. The supervisor decides what they
  // mean: the server's work is to end before its executors do.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})
  process.once("disconnect", () => process.exit(exitCodes.failed))
  process.once("message", (message: ToExecutor) => {
    if (message.kind !== "start") return process.exit(exitCodes.ok)
    const fiber = Effect.runFork(work(settingsIn(message.order)))
    fiber.addObserver(end)
    process.on("message", (later: ToExecutor) => {
      if (later.kind === "tellMetrics") tell({ kind: "metrics", ask: later.ask, series: measuring().series() })
      else fiber.unsafeInterruptAsFork(fiber.id())
    })
  })
  tell({ kind: "ready" })
}
