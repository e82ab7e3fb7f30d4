/** Executors in processes of their own, which tests kill and freeze. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { ExecutorOptions } from "../executor/executor.ts"

/** An executor's process. */
export interface ExecutorProcess {
  readonly id: string
  readonly kill: (signal: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGTERM") => void
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>
}

const script = fileURLToPath(new URL("./executorHost.mjs", import.meta.url))

const start = async (url: string, executor: ExecutorOptions, hostOverrides: Readonly<Record<string, string>>) => {
  const options = { executor, nats: { servers: [url] }, outbound: { hostOverrides } }
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const lines = createInterface({ input: child.stdout })
  const id = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve)
    lines.once("close", () => reject(new Error("the executor did not start")))
  })
  return { child, process: { id, ended, kill: (signal: NodeJS.Signals) => void child.kill(signal) } }
}

/** Starts one that is killed with the scope. It reaches hosts at these origins only on loopback. */
export const startExecutor = (
  url: string,
  executor: ExecutorOptions = {},
  hostOverrides: Readonly<Record<string, string>> = {}
): Effect.Effect<ExecutorProcess, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => start(url, executor, hostOverrides)),
      ({ child, process: { ended } }) =>
        Effect.promise(async () => {
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill("SIGKILL")
          await ended
        })
    ),
    (started) => started.process
  )
