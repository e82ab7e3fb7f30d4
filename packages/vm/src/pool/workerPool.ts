/** A fixed number of worker threads, a bounded queue before them, and a wall clock over each pass. */
import { Worker } from "node:worker_threads"
import type { PassInput, PassResult } from "../pass/pass.ts"
import type { Preparation } from "../pass/prepare.ts"
import type { PassOrder, ProgramSource, WorkerReport } from "./messages.ts"
import { RecentMap } from "./recentMap.ts"

/** How large the pool is. */
export interface PoolOptions {
  readonly workers: number
  /** First passes that may wait for a worker; later passes of runs under way always may. */
  readonly queueBound: number
  /** Compiled programs that are kept. */
  readonly cachedPrograms: number
  /** The worker's compiled code. */
  readonly workerFile: string
}

/** One pass to be run. */
export interface PassJob {
  readonly source: ProgramSource
  readonly input: PassInput
  /** Wall-clock time that the pass may take, in ms. Waiting for a worker does not count. */
  readonly budgetMs: number
  /** Whether the run begins with it. Passes of runs under way go first. */
  readonly first: boolean
}

/** How a job ended. `elapsedMs` is the wall-clock time it took from the moment a worker had it. */
export type PassReply =
  | { readonly kind: "passed"; readonly result: PassResult; readonly elapsedMs: number }
  | { readonly kind: "deadline" }
  | { readonly kind: "queueFull" }
  | { readonly kind: "defect"; readonly message: string }

interface Ticket {
  readonly job: PassJob
  readonly reply: (reply: PassReply) => void
}

interface Slot {
  worker: Worker | undefined
  ready: boolean
  /** What the worker has, counted along: the same keys in the same order, so that both forget the same. */
  known: RecentMap<true>
  running: { readonly ticket: Ticket; readonly sinceMs: number; readonly timer: NodeJS.Timeout } | undefined
}

/**
 * The stack of a worker in MB. Node gives 1.4 million trivial frames with it; Bun ignores it and gives some 8,000. The
 * pages are only used when a program recurses that deep.
 */
const stackSizeMb = 64

const cacheKey = ({ input, source }: PassJob): string => `${input.phase}:${source.memoryPages}:${source.programId}`

/** Runs passes on worker threads. A worker that had to be terminated is replaced before the next pass needs it. */
export class WorkerPool {
  private readonly options: PoolOptions
  private readonly slots: ReadonlyArray<Slot>
  private readonly programs: RecentMap<Preparation>
  private readonly continuing: Array<Ticket> = []
  private readonly waiting: Array<Ticket> = []
  private readonly ending = new Set<Promise<unknown>>()
  private closed = false

  constructor(options: PoolOptions) {
    this.options = options
    this.programs = new RecentMap(options.cachedPrograms)
    this.slots = Array.from({ length: options.workers }, () => ({
      worker: undefined,
      ready: false,
      known: new RecentMap(options.cachedPrograms),
      running: undefined
    }))
    for (const slot of this.slots) this.startWorker(slot)
  }

  /** Terminated threads that have not ended yet. */
  get endingWorkers(): number {
    return this.ending.size
  }

  /** Queues a pass; `reply` is called once. The returned function takes the pass back: then nothing is replied. */
  submit(job: PassJob, reply: (reply: PassReply) => void): () => void {
    const ticket: Ticket = { job, reply }
    if (job.first && this.waiting.length >= this.options.queueBound) {
      reply({ kind: "queueFull" })
      return () => {}
    }
    const queue = job.first ? this.waiting : this.continuing
    queue.push(ticket)
    this.dispatch()
    return () => this.takeBack(ticket, queue)
  }

  /** Terminates every worker and waits until all have ended. Nothing is replied to any more. */
  async close(): Promise<void> {
    this.closed = true
    this.waiting.length = 0
    this.continuing.length = 0
    for (const slot of this.slots) {
      clearTimeout(slot.running?.timer)
      slot.running = undefined
      this.stopWorker(slot)
    }
    await Promise.all(this.ending)
  }

  private takeBack(ticket: Ticket, queue: Array<Ticket>): void {
    const place = queue.indexOf(ticket)
    if (place >= 0) queue.splice(place, 1)
    const slot = this.slots.find(({ running }) => running?.ticket === ticket)
    if (slot === undefined) return
    clearTimeout(slot.running?.timer)
    slot.running = undefined
    this.replaceWorker(slot)
  }

  private dispatch(): void {
    for (const slot of this.slots) {
      if (this.continuing.length + this.waiting.length === 0) return
      if (slot.worker === undefined) this.startWorker(slot)
      if (slot.worker === undefined || !slot.ready || slot.running !== undefined) continue
      const ticket = this.continuing.shift() ?? this.waiting.shift()
      if (ticket !== undefined) this.give(slot, slot.worker, ticket)
    }
  }

  private give(slot: Slot, worker: Worker, ticket: Ticket): void {
    const { job } = ticket
    const programKey = cacheKey(job)
    const program = this.programFor(slot, programKey, job)
    const order: PassOrder = { programKey, keptPrograms: this.options.cachedPrograms, program, input: job.input }
    slot.known.set(programKey, true)
    const timer = setTimeout(() => this.expire(slot, ticket), Math.max(0, Math.ceil(job.budgetMs)))
    slot.running = { ticket, sinceMs: performance.now(), timer }
    worker.postMessage(order)
  }

  /** Sending a compiled module takes a millisecond, so each worker gets it once. */
  private programFor(slot: Slot, programKey: string, { source }: PassJob): PassOrder["program"] {
    const preparation = this.programs.get(programKey)
    if (slot.known.get(programKey) === true) return { kind: "known" }
    return preparation === undefined ? { kind: "source", source } : { kind: "prepared", preparation }
  }

  private expire(slot: Slot, ticket: Ticket): void {
    if (slot.running?.ticket !== ticket) return
    slot.running = undefined
    this.replaceWorker(slot)
    ticket.reply({ kind: "deadline" })
  }

  private receive(slot: Slot, report: WorkerReport): void {
    if (report.kind === "ready") slot.ready = true
    else if (slot.running !== undefined) {
      const { sinceMs, ticket, timer } = slot.running
      clearTimeout(timer)
      slot.running = undefined
      // It may have failed before it had the program.
      if (report.kind === "defect") slot.known = new RecentMap(this.options.cachedPrograms)
      if (report.kind === "passed" && report.preparation !== undefined) {
        this.programs.set(cacheKey(ticket.job), report.preparation)
      }
      ticket.reply(
        report.kind === "passed"
          ? { kind: "passed", result: report.result, elapsedMs: performance.now() - sinceMs }
          : { kind: "defect", message: report.message }
      )
    }
    this.dispatch()
  }

  /** A worker that cannot be understood any more. */
  private abandon(slot: Slot, reason: string): void {
    const ticket = slot.running?.ticket
    clearTimeout(slot.running?.timer)
    slot.running = undefined
    this.replaceWorker(slot)
    ticket?.reply({ kind: "defect", message: `a worker of the runtime failed: ${reason}` })
  }

  /** A worker ended that nobody told to: its pass is lost, and when no worker comes up, so are those that wait. */
  private lose(slot: Slot, reason: string): void {
    const neverReady = !slot.ready
    const { running } = slot
    clearTimeout(running?.timer)
    slot.running = undefined
    slot.worker = undefined
    const message = `a worker of the runtime ended: ${reason}`
    running?.ticket.reply({ kind: "defect", message })
    if (neverReady && this.slots.every(({ worker }) => worker === undefined)) {
      for (const { reply } of [...this.continuing.splice(0), ...this.waiting.splice(0)])
        reply({ kind: "defect", message })
    } else if (!neverReady && !this.closed) this.startWorker(slot)
  }

  private startWorker(slot: Slot): void {
    const worker = new Worker(this.options.workerFile, { resourceLimits: { stackSizeMb } })
    let fault: string | undefined
    slot.worker = worker
    slot.ready = false
    slot.known = new RecentMap(this.options.cachedPrograms)
    worker.on("message", (report: WorkerReport) => {
      if (slot.worker === worker) this.receive(slot, report)
    })
    worker.on("error", (error) => {
      fault = error.message
    })
    worker.on("messageerror", () => {
      if (slot.worker === worker) this.abandon(slot, "its report could not be read")
    })
    worker.on("exit", (code) => {
      if (slot.worker === worker) this.lose(slot, fault ?? `exit code ${code}`)
    })
  }

  private stopWorker(slot: Slot): void {
    const { worker } = slot
    slot.worker = undefined
    slot.ready = false
    if (worker === undefined) return
    const ended = worker.terminate().finally(() => this.ending.delete(ended))
    this.ending.add(ended)
  }

  private replaceWorker(slot: Slot): void {
    this.stopWorker(slot)
    if (!this.closed) this.startWorker(slot)
  }
}
