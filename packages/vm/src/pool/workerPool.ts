/** Worker threads, turns between the projects that wait for them, and a wall clock over each pass. */
import { Worker } from "node:worker_threads"
import type { Preparation } from "../pass/prepare.ts"
import type { PassOrder, WorkerReport } from "./messages.ts"
import type { PassJob, PassReply } from "./passJob.ts"
import { LRUCache } from "lru-cache"
import { Turns } from "./turns.ts"
import { emptySlot, type Slot, type Ticket } from "./workerSlot.ts"

/** How large the pool is. */
export interface PoolOptions {
  readonly workers: number
  /**
   * Workers beside them, for projects that have none while others' passes go on and on. Each project gets one at most,
   * so long passes of a few projects do not stop the rest; threads share the processors. Default: none.
   */
  readonly spareWorkers?: number
  /** First passes that may wait for a worker; later passes of runs under way always may. */
  readonly queueBound: number
  /** Compiled programs that are kept. */
  readonly cachedPrograms: number
  /** The worker's compiled code. */
  readonly workerFile: string
}

/**
 * The stack of a worker in MB. Node gives 1.4 million trivial frames with it; Bun ignores it and gives some 8,000. The
 * pages are only used when a program recurses that deep.
 */
const stackSizeMb = 64

/** A project without a worker waits so long before a spare one is started for it: most passes are over by then. */
const spareAfterMs = 50

/** How long an unused spare worker is kept: starting one takes some tens of milliseconds. */
const spareIdleMs = 10_000

const cacheKey = ({ input, source }: PassJob): string => `${input.phase}:${source.memoryPages}:${source.programId}`

/** Runs passes on worker threads. A worker that had to be terminated is replaced before the next pass needs it. */
export class WorkerPool {
  private readonly options: PoolOptions
  private readonly slots: ReadonlyArray<Slot>
  private readonly programs: LRUCache<string, Preparation>
  private readonly turns = new Turns<Ticket>()
  private readonly ending = new Set<Promise<unknown>>()
  /** Set while a project waits that may get a spare worker. */
  private sparesTimer: NodeJS.Timeout | undefined
  private closed = false

  constructor(options: PoolOptions) {
    this.options = options
    this.programs = new LRUCache({ max: options.cachedPrograms })
    const { spareWorkers = 0, workers } = options
    this.slots = Array.from({ length: workers + spareWorkers }, (_, at) => emptySlot(at >= workers, options.cachedPrograms))
    for (const slot of this.slots) if (!slot.isSpare) this.startWorker(slot)
  }

  /** Terminated threads that have not ended yet. */
  get endingWorkers(): number {
    return this.ending.size
  }

  /** Threads that have started and not ended, idle or at work. */
  get readyWorkers(): number {
    return this.slots.filter(({ ready, worker }) => ready && worker !== undefined).length
  }

  /** Queues a pass; `reply` is called once. The returned function takes the pass back: then nothing is replied. */
  submit(job: PassJob, reply: (reply: PassReply) => void): () => void {
    const { first, maxWaitMs, projectId } = job
    const ticket: Ticket = { job, reply, projectId, first, isGiven: false, timer: undefined }
    if (first && this.turns.starting >= this.options.queueBound) {
      reply({ kind: "queueFull" })
      return () => {}
    }
    this.turns.add(ticket)
    this.dispatch()
    if (maxWaitMs !== undefined && !ticket.isGiven) ticket.timer = setTimeout(() => this.giveUp(ticket), maxWaitMs)
    return () => this.takeBack(ticket)
  }

  /** Terminates every worker and waits until all have ended. Nothing is replied to any more. */
  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.sparesTimer)
    for (const ticket of this.turns.removeAll()) clearTimeout(ticket.timer)
    for (const slot of this.slots) {
      this.free(slot)
      this.stopWorker(slot)
    }
    await Promise.all(this.ending)
  }

  private takeBack(ticket: Ticket): void {
    clearTimeout(ticket.timer)
    if (this.turns.remove(ticket)) return
    const slot = this.slots.find(({ running }) => running?.ticket === ticket)
    if (slot === undefined) return
    this.free(slot)
    this.replaceWorker(slot)
    this.dispatch()
  }

  private giveUp(ticket: Ticket): void {
    if (this.turns.remove(ticket)) ticket.reply({ kind: "waitedTooLong" })
  }

  private dispatch(): void {
    for (const slot of this.slots) {
      if (this.turns.waiting === 0) return
      if (slot.isSpare) continue
      if (slot.worker === undefined) this.startWorker(slot)
      if (slot.ready && slot.running === undefined) this.giveNext(slot)
    }
    if (this.turns.without > 0) this.lendSpares()
  }

  private giveNext(slot: Slot): void {
    const ticket = this.turns.take(slot.isSpare)
    if (ticket !== undefined && slot.worker !== undefined) this.give(slot, slot.worker, ticket)
  }

  /** For projects that have no worker while all others are stuck in passes of other projects. */
  private lendSpares(): void {
    const spares = this.slots.filter(({ isSpare }) => isSpare)
    if (spares.length === 0) return
    if (!this.isStuck) {
      this.sparesTimer ??= setTimeout(() => {
        this.sparesTimer = undefined
        if (this.turns.without > 0) this.lendSpares()
      }, spareAfterMs)
      return
    }
    for (const slot of spares) if (slot.ready && slot.running === undefined) this.giveNext(slot)
    const isStarting = ({ ready, worker }: Slot): boolean => worker !== undefined && !ready
    let missing = this.turns.without - spares.filter(isStarting).length
    for (const slot of spares) {
      if (missing <= 0) return
      if (slot.worker !== undefined) continue
      this.startWorker(slot)
      missing -= 1
    }
  }

  /** Whether each worker that is no spare one has been at its present pass for a while. */
  private get isStuck(): boolean {
    const nowMs = performance.now()
    return this.slots.every(({ isSpare, running }) => isSpare || (running !== undefined && nowMs - running.sinceMs >= spareAfterMs))
  }

  /** The slot's pass is over; answers what it was. */
  private free(slot: Slot): Slot["running"] {
    const { running } = slot
    if (running === undefined) return undefined
    clearTimeout(running.timer)
    slot.running = undefined
    this.turns.ended(running.ticket)
    return running
  }

  private give(slot: Slot, worker: Worker, ticket: Ticket): void {
    const { job } = ticket
    ticket.isGiven = true
    clearTimeout(ticket.timer)
    clearTimeout(slot.idleTimer)
    const programKey = cacheKey(job)
    const program = this.programFor(slot, programKey, job)
    const order: PassOrder = { programKey, keptPrograms: this.options.cachedPrograms, program, input: job.input }
    slot.known.set(programKey, true)
    const timer = setTimeout(() => this.expire(slot, ticket), Math.max(0, Math.ceil(job.budgetMs)))
    slot.running = { ticket, sinceMs: performance.now(), timer }
    worker.postMessage(order)
    job.onStart?.()
  }

  /** Sending a compiled module takes a millisecond, so each worker gets it once. */
  private programFor(slot: Slot, programKey: string, { source }: PassJob): PassOrder["program"] {
    const preparation = this.programs.get(programKey)
    if (slot.known.get(programKey) === true) return { kind: "known" }
    return preparation === undefined ? { kind: "source", source } : { kind: "prepared", preparation }
  }

  private expire(slot: Slot, ticket: Ticket): void {
    if (slot.running?.ticket !== ticket) return
    const elapsedMs = performance.now() - slot.running.sinceMs
    this.free(slot)
    this.replaceWorker(slot)
    ticket.reply({ kind: "deadline", elapsedMs })
    this.dispatch()
  }

  private receive(slot: Slot, report: WorkerReport): void {
    if (report.kind === "ready") slot.ready = true
    const ended = report.kind === "ready" ? undefined : this.free(slot)
    if (report.kind !== "ready" && ended !== undefined) {
      const { sinceMs, ticket } = ended
      // It may have failed before it had the program.
      if (report.kind === "defect") slot.known = new LRUCache({ max: this.options.cachedPrograms })
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
    this.keepForAWhile(slot)
  }

  /** Ends a spare worker that has had nothing to do for some time. */
  private keepForAWhile(slot: Slot): void {
    if (!slot.isSpare || slot.running !== undefined) return
    clearTimeout(slot.idleTimer)
    slot.idleTimer = setTimeout(() => this.stopWorker(slot), spareIdleMs).unref()
  }

  /** A worker that cannot be understood any more. */
  private abandon(slot: Slot, reason: string): void {
    const ended = this.free(slot)
    this.replaceWorker(slot)
    ended?.ticket.reply({ kind: "defect", message: `a worker of the runtime failed: ${reason}` })
  }

  /** A worker ended by itself: its pass is lost, and when no worker starts, so are the waiting ones. */
  private lose(slot: Slot, reason: string): void {
    const neverReady = !slot.ready
    const ended = this.free(slot)
    slot.worker = undefined
    const message = `a worker of the runtime ended: ${reason}`
    ended?.ticket.reply({ kind: "defect", message })
    if (neverReady && this.slots.every(({ worker }) => worker === undefined)) {
      for (const { reply, timer } of this.turns.removeAll()) {
        clearTimeout(timer)
        reply({ kind: "defect", message })
      }
    } else if (!neverReady && !this.closed && !slot.isSpare) this.startWorker(slot)
  }

  private startWorker(slot: Slot): void {
    const worker = new Worker(this.options.workerFile, { resourceLimits: { stackSizeMb } })
    let fault: string | undefined
    slot.worker = worker
    slot.ready = false
    slot.known = new LRUCache({ max: this.options.cachedPrograms })
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
    clearTimeout(slot.idleTimer)
    if (worker === undefined) return
    const ended = worker.terminate().finally(() => this.ending.delete(ended))
    this.ending.add(ended)
  }

  private replaceWorker(slot: Slot): void {
    this.stopWorker(slot)
    if (!this.closed && !slot.isSpare) this.startWorker(slot)
  }
}
