/** A worker in a process of its own: without the server's environment, files and secrets, and watched for its memory. */
import { type ChildProcess, spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { Writable } from "node:stream"
import { serialize } from "node:v8"
import type { PassOrder } from "../orders/messages.ts"
import type { OrderProgress } from "../orders/orderProgress.ts"
import type { Environment } from "./engineEnvironment.ts"
import { FrameReader, frameOf } from "./frame.ts"
import type { PoolWorker, WorkerEnd, WorkerEvents } from "./poolWorker.ts"
import { processCommand, type ProcessLimits } from "./processCommand.ts"
import { lastWords, processPipes, recallMessage } from "./processMessages.ts"
import { readReport } from "./readReport.ts"

/** What a worker process is started with, and kept beside. */
export interface WorkerProcessOptions extends ProcessLimits {
  /** All that its environment has: of the server's, nothing. */
  readonly environment: Environment
  /** Where its phase is noted when it tells. */
  readonly progress: Pick<OrderProgress, "beginTally" | "ended">
}

/** More than any report takes, whose parts have limits of their own. */
const mostReportBytes = 128 * 1_048_576

/** What an engine writes before it ends is told to the operator, up to this. */
const mostErrorText = 2_000

/** Of all processes the kernel ends these first when memory is short. Where there is no such file, nothing is lost. */
const offerToKernel = (pid: number | undefined): void => void writeFile(`/proc/${pid}/oom_score_adj`, "1000").catch(() => {})

/** The process, or why the system did not start it: the code may be gone, or memory short. */
const startProcess = (
  file: string,
  { environment, ...limits }: ProcessLimits & Pick<WorkerProcessOptions, "environment">
): ChildProcess | string => {
  try {
    const { args, command, ids } = processCommand(file, limits)
    // In a session of its own: a terminal's Ctrl-C is for the server, which ends its runs first.
    const own = { cwd: "/", detached: true, env: environment, windowsHide: true, ...ids }
    return spawn(command, args, { ...own, stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"] })
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault)
  }
}

/** Starts at once. One that cannot be started ends like one that was. */
export class WorkerProcess implements PoolWorker {
  readonly #child: ChildProcess | undefined
  readonly #ended: Promise<void>
  readonly #events: WorkerEvents
  readonly #start: WorkerProcessOptions
  readonly #reports = new FrameReader(mostReportBytes)
  #lastWords = ""
  #errorText = ""

  constructor(file: string, start: WorkerProcessOptions, events: WorkerEvents) {
    this.#start = start
    this.#events = events
    const child = startProcess(file, start)
    if (typeof child === "string") {
      this.#ended = Promise.resolve()
      setImmediate(() => events.onEnd(this.#end(child)))
      return
    }
    this.#child = child
    offerToKernel(child.pid)
    this.#listen(child)
    this.#ended = new Promise((resolve) => {
      const end = (how: string): void => {
        resolve()
        events.onEnd(this.#end(how))
      }
      child.once("error", (error) => end(error.message))
      child.once("close", (code, signal) => end(signal ?? `exit code ${code}`))
    })
  }

  /** Undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  give(order: PassOrder): void {
    this.#child?.stdin?.write(frameOf(serialize(order)))
  }

  recall(after: number, upTo: number): void {
    const pipe = this.#child?.stdio[processPipes.recalls]
    if (pipe instanceof Writable) pipe.write(recallMessage({ after, upTo }))
  }

  /** Its reports come with the event loop. */
  takeReport(): boolean {
    return false
  }

  async terminate(): Promise<void> {
    this.#child?.kill("SIGKILL")
    await this.#ended
  }

  #listen({ stderr, stdio, stdout }: ChildProcess): void {
    stdout?.on("data", (piece: Uint8Array) => this.#receive(piece))
    stderr?.on("data", (text: Uint8Array) => void (this.#errorText = `${this.#errorText}${String(text)}`.slice(-mostErrorText)))
    stdio[processPipes.lastWords]?.on("data", (text: Uint8Array) => void (this.#lastWords = String(text).slice(0, 1)))
    // What is written to a process that has ended is lost with it, and so is what it has not said.
    for (const stream of stdio) stream?.on("error", () => {})
  }

  #receive(piece: Uint8Array): void {
    const messages = this.#reports.push(piece)
    if (messages === undefined) return this.#events.onUnreadable()
    for (const message of messages) {
      const report = readReport(message)
      if (report === undefined) return this.#events.onUnreadable()
      if (report.kind === "tallyBegan") {
        this.#start.progress.beginTally(report.afterMs)
        continue
      }
      if (report.kind !== "ready") this.#start.progress.ended()
      this.#events.onReport(report)
    }
  }

  #end(how: string): WorkerEnd {
    const { maxMib } = this.#start
    if (this.#lastWords === lastWords.memory) {
      return { reason: `it had more than ${maxMib} MiB of memory`, loss: { why: "memory", limitMib: maxMib } }
    }
    if (this.#lastWords === lastWords.restless) return { reason: "it worked on without an order", loss: { why: "crash" } }
    const text = this.#errorText.trim()
    return { reason: text === "" ? how : `${how}: ${text}`, loss: { why: "crash" } }
  }
}
