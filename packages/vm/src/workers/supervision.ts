/**
 * The main thread of a worker process: it watches while the other thread runs programs. It ends the process when the server is gone, when
 * it has too much memory, and when it works on without an order, as engines do that are still compiling what nobody runs any more.
 */
import { writeSync } from "node:fs"
import { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { OrderProgress } from "../orders/orderProgress.ts"
import { IdleWork } from "./idleWork.ts"
import type { ProcessStart } from "./processCommand.ts"
import { lastWords, processPipes, RecallReader } from "./processMessages.ts"
import { stackSizeMb } from "./stackSize.ts"

/** What the thread that runs programs is given. */
export interface CarrierStart {
  readonly keptPrograms: number
  /** Which of its orders are to be left out. */
  readonly progress: SharedArrayBuffer
  /** One word: 1 while it has an order. */
  readonly busy: SharedArrayBuffer
}

/** How often memory is looked at: within this time a program can take some hundred MiB more. */
const lookEveryMs = 50

/** Processor time that it may use without an order, after each one. What real programs leave to the compilers takes less than a third of it. */
const mostIdleCpuMs = 500

const bytesOfMib = 1_048_576

/** It cannot be caught, and waits for no compiler. */
const end = (): void => void process.kill(process.pid, "SIGKILL")

const endWith = (word: string): void => {
  try {
    writeSync(processPipes.lastWords, word)
  } finally {
    end()
  }
}

const usedCpuMs = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

/** The other thread hears nothing while it runs a program. */
const hearRecalls = (progress: OrderProgress): void => {
  const recalls = new RecallReader()
  const pipe = new Socket({ fd: processPipes.recalls, readable: true, writable: false })
  pipe.on("data", (piece: Uint8Array) => {
    const recall = recalls.push(piece)
    if (recall !== undefined) progress.recall(recall.after, recall.upTo)
  })
  // Whoever started it is gone: that is seen elsewhere.
  pipe.on("error", () => {})
}

/** Starts the thread in this file, and watches it. */
export const supervise = (entry: string, { keptPrograms, maxMib, serverPid }: ProcessStart): void => {
  // The server decides when it ends, and may have work for it until then.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {})
  const busy = new Int32Array(new SharedArrayBuffer(4))
  const progress = new OrderProgress()
  hearRecalls(progress)
  const workerData: CarrierStart = { keptPrograms, busy: busy.buffer, progress: progress.memory }
  const thread = new Worker(fileURLToPath(entry), { resourceLimits: { stackSizeMb }, workerData, env: {} })
  thread.on("error", (error: Error & { readonly code?: string }) => {
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") endWith(lastWords.memory)
    process.stderr.write(`${error.stack ?? error.message}\n`)
  })
  thread.on("exit", end)
  const idle = new IdleWork(usedCpuMs(), performance.now())
  setInterval(() => {
    // The system gives orphans to another parent.
    if (process.ppid !== serverPid) end()
    if (process.memoryUsage.rss() > maxMib * bytesOfMib) endWith(lastWords.memory)
    if (idle.look(usedCpuMs(), performance.now(), Atomics.load(busy, 0) === 1) > mostIdleCpuMs) endWith(lastWords.restless)
  }, lookEveryMs)
}
