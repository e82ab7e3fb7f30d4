/** Starts the process of an executor. */
import type { ChildProcess } from "node:child_process"
import { Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"
import type { ForkEdge } from "../serve/listen/listening.ts"
import type { MetricsAnswer, MetricsQuestion } from "../supervision/gatheredMetrics.ts"
import type { ExecutorOrder, FromExecutor, ToExecutor } from "./executorOrder.ts"
import type { WorkingProcess } from "../supervision/keepRunning.ts"

const tell = (child: ChildProcess, message: ToExecutor): void => {
  if (child.connected) child.send(message, () => {})
}

const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(`ended with ${signal === null ? `code ${code}` : `signal ${signal}`}`))
    // Emitted instead of `exit` if the process could not be started.
    child.once("error", (error) => child.pid === undefined && resolve(error.message))
  })

/** An executor that works, and can be asked what it has measured. */
export interface ExecutorProcess extends WorkingProcess {
  readonly tell: (message: MetricsQuestion) => void
}

/** Who hears of its measurements, and of its end. */
export interface ExecutorWatch {
  readonly heard: (process: ExecutorProcess, message: MetricsAnswer) => void
  readonly gone: (process: ExecutorProcess) => void
}

/** Succeeds when the executor works; fails with its reason if it ends before. */
export const startExecutor = (fork: ForkEdge, order: ExecutorOrder, watch: ExecutorWatch): Effect.Effect<ExecutorProcess, CommandFailed> =>
  Effect.mapError(fork, ({ message }) => new CommandFailed({ message })).pipe(
    Effect.flatMap((child) =>
      Effect.async<ExecutorProcess, CommandFailed>((resume) => {
        const ended = endOf(child)
        const process: ExecutorProcess = {
          pid: child.pid,
          ended,
          stop: () => tell(child, { kind: "drain" }),
          tell: (message) => tell(child, message)
        }
        let reason: string | undefined
        child.on("message", (message: FromExecutor) => {
          if (message.kind === "ready") tell(child, { kind: "start", order })
          else if (message.kind === "failed") reason = message.message
          else if (message.kind === "metrics") watch.heard(process, message)
          else resume(Effect.succeed(process))
        })
        void ended.then(() => watch.gone(process))
        void ended.then((how) => resume(new CommandFailed({ message: `an executor ${reason ?? how}` })))
      })
    )
  )
