/** Worker threads, turns between the projects that wait for them, and a wall clock over each pass. */
import type { Phase } from "@sibyl/core"
import type { BreakTaking } from "@sibyl/core/internal"
import type { Preparation } from "../pass/prepare.ts"
import type { OrderedProgram, PassOrder, ProgramSource, WorkerReport } from "./messages.ts"
import type { PassJob, PassReply } from "./passJob.ts"
import { LRUCache } from "lru-cache"
import { Dispatcher, type Move } from "./dispatcher.ts"
import { OrderProgress } from "./orderProgress.ts"
import { overdue } from "./overdue.ts"
import type { SigningThread } from "./resultSigner.ts"
import { emptySlot, type Slot, stopWaiting, type Ticket } from "./workerSlot.ts"
import { WorkerThread } from "./workerThread.ts"

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
  /** How workers sign results. Default: they do not. */
  readonly signing?: SigningThread | undefined
  /** When reports are looked for beside the event loop, which may be long in coming to them: workers have nothing to do until then. Default: never. */
  readonly breaks?: BreakTaking
}

/** How long an unused spare worker is kept: starting one takes some tens of milliseconds. */
const spareIdleMs = 10_000

/** Runs passes on worker threads. A worker that had to be terminated is replaced before the next pass needs it. */
export class WorkerPool {
  private readonly options: PoolOptions
  private readonly slots: ReadonlyArray<Slot>
  private readonly programs: LRUCache<string, Preparation>
  private readonly dispatcher: Dispatcher<Ticket>
  private readonly ending = new Set<Promise<unknown>>()
  /** Set while somebody waits for the moment when all workers are stuck. */
  private stuckTimer: NodeJS.Timeout | undefined
  private readonly endBreaks: (() => void) | undefined
  private closed = false

  constructor(options: PoolOptions) {
    this.options = options
    this.programs = new LRUCache({ max: options.cachedPrograms })
    const { spareWorkers = 0, workers } = options
    this.dispatcher = new Dispatcher(workers, spareWorkers)
    this.slots = Array.from({ length: workers + spareWorkers }, (_, place) => emptySlot(place, options.cachedPrograms))
    for (const slot of this.slots.slice(0, workers)) this.startWorker(slot)
    this.endBreaks = options.breaks?.each(() => this.takeReports())
  }

  /** Terminated threads that have not ended yet. */
  get endingWorkers(): number {
    return this.ending.size
  }

  /** Threads that have started and not ended, idle or at work. */
  get readyWorkers(): number {
    return this.slots.filter(({ place }) => this.dispatcher.isReady(place)).length
  }

  /** Queues a pass; `reply` is called once. The returned function takes the pass back: then nothing is replied. */
  submit(job: PassJob, reply: (reply: PassReply) => void): () => void {
    const { abandoned, first, projectId } = job
    const { turns } = this.dispatcher
    const ticket: Ticket = { job, reply, projectId, first, place: undefined, timer: undefined, onAbandoned: undefined }
    const isFull = first && turns.starting >= this.options.queueBound
    if (isFull || abandoned?.aborted === true) {
      reply({ kind: isFull ? "queueFull" : "abandoned" })
      return () => {}
    }
    turns.add(ticket)
    this.dispatch()
    if (ticket.place === undefined) this.wait(ticket)
    return () => this.takeBack(ticket)
  }

  /** Terminates every worker and waits until all have ended. Nothing is replied to any more. */
  async close(): Promise<void> {
    this.closed = true
    this.endBreaks?.()
    clearTimeout(this.stuckTimer)
    for (const ticket of this.dispatcher.turns.removeAll()) stopWaiting(ticket)
    for (const slot of this.slots) {
      this.free(slot)
      this.stopWorker(slot)
    }
    await Promise.all(this.ending)
  }

  private wait(ticket: Ticket): void {
    const { abandoned, maxWaitMs } = ticket.job
    if (maxWaitMs !== undefined) ticket.timer = setTimeout(() => this.giveUp(ticket, "waitedTooLong"), maxWaitMs)
    if (abandoned === undefined) return
    ticket.onAbandoned = () => this.giveUp(ticket, "abandoned")
    abandoned.addEventListener("abort", ticket.onAbandoned)
  }

  private takeBack(ticket: Ticket): void {
    if (this.dispatcher.turns.remove(ticket)) {
      stopWaiting(ticket)
      return
    }
    const slot = this.slots[ticket.place ?? -1]
    // It may have ended, and another pass be there by now.
    if (slot === undefined || this.dispatcher.running(slot.place)?.pass !== ticket) return
    this.free(slot)
    this.replaceWorker(slot)
    this.dispatch()
  }

  private giveUp(ticket: Ticket, kind: "waitedTooLong" | "abandoned"): void {
    if (!this.dispatcher.turns.remove(ticket)) return
    stopWaiting(ticket)
    ticket.reply({ kind })
  }

  private dispatch(): void {
    let { againInMs, moves } = this.dispatcher.decide(performance.now())
    while (this.carryOut(moves)) ({ againInMs, moves } = this.dispatcher.decide(performance.now()))
    if (againInMs === undefined) return
    this.stuckTimer ??= setTimeout(() => {
      this.stuckTimer = undefined
      this.dispatch()
    }, Math.ceil(againInMs))
  }

  /** Whether a worker became free again by it. */
  private carryOut(moves: ReadonlyArray<Move<Ticket>>): boolean {
    let isFree = false
    for (const move of moves) {
      const slot = this.slots[move.place]
      if (slot === undefined) continue
      if (move.kind === "start") this.startWorker(slot)
      else if (move.pass.job.isAdmission === true) {
        this.admit(slot, move.pass)
        isFree = true
      } else this.give(slot, move.pass)
    }
    return isFree
  }

  private admit({ place }: Slot, ticket: Ticket): void {
    ticket.place = place
    stopWaiting(ticket)
    this.dispatcher.ended(place)
    ticket.reply({ kind: "admitted" })
  }

  /** The slot's pass is over; answers what it was, and how long it took in ms. */
  private free({ place }: Slot): { readonly ticket: Ticket; readonly elapsedMs: number } | undefined {
    const running = this.dispatcher.running(place)
    if (running === undefined) return undefined
    clearTimeout(running.pass.timer)
    this.dispatcher.ended(place)
    return { ticket: running.pass, elapsedMs: performance.now() - running.sinceMs }
  }

  private give(slot: Slot, ticket: Ticket): void {
    const { job } = ticket
    ticket.place = slot.place
    stopWaiting(ticket)
    clearTimeout(slot.idleTimer)
    const order = this.orderFor(slot, job)
    slot.progress.clear()
    this.watch(slot, ticket, Math.min(job.budgetMs, job.tally?.budgetMs ?? job.budgetMs))
    slot.worker?.give(order)
    job.onStart?.()
  }

  private orderFor(slot: Slot, { input, source, tally }: PassJob): PassOrder {
    const order = { ...this.programFor(slot, input.phase, source), input }
    if (tally === undefined) return order
    const { budgetMs: _, source: tallySource, ...rest } = tally
    return { ...order, tally: { ...this.programFor(slot, "tally", tallySource), ...rest } }
  }

  /** Sending a compiled module takes a millisecond, so each worker gets it once. */
  private programFor(slot: Slot, phase: Phase, source: ProgramSource): OrderedProgram {
    const key = `${phase}:${source.memoryPages}:${source.programId}`
    const preparation = this.programs.get(key)
    const isKnown = slot.known.get(key) === true
    slot.known.set(key, true)
    if (isKnown) return { key, phase, program: { kind: "known" } }
    return { key, phase, program: preparation === undefined ? { kind: "source", source } : { kind: "prepared", preparation } }
  }

  /** Looks at a running order when one of its phases may have reached its deadline. */
  private watch(slot: Slot, ticket: Ticket, inMs: number): void {
    ticket.timer = setTimeout(() => this.expire(slot, ticket), Math.max(0, Math.ceil(inMs)))
  }

  private expire(slot: Slot, ticket: Ticket): void {
    const running = this.dispatcher.running(slot.place)
    if (running?.pass !== ticket) return
    const verdict = overdue(ticket.job, performance.now() - running.sinceMs, slot.progress.tallyAfterMs)
    if (verdict.kind === "inTime") {
      this.watch(slot, ticket, verdict.leftMs)
      return
    }
    this.free(slot)
    this.replaceWorker(slot)
    ticket.reply(verdict)
    this.dispatch()
  }

  private takeReports(): void {
    for (const slot of this.slots) if (this.dispatcher.running(slot.place) !== undefined) slot.worker?.takeReport()
  }

  private receive(slot: Slot, report: WorkerReport): void {
    if (report.kind === "ready") this.dispatcher.ready(slot.place)
    const ended = report.kind === "ready" ? undefined : this.free(slot)
    if (report.kind !== "ready" && ended !== undefined) {
      const { elapsedMs, ticket } = ended
      // It may have failed before it had the program.
      if (report.kind === "defect") slot.known = new LRUCache({ max: this.options.cachedPrograms })
      if (report.kind === "passed") for (const { key, preparation } of report.prepared) this.programs.set(key, preparation)
      ticket.reply(report.kind === "passed" ? { ...report, elapsedMs } : report)
    }
    this.dispatch()
    this.keepForAWhile(slot)
  }

  /** Ends a spare worker that has had nothing to do for some time. */
  private keepForAWhile(slot: Slot): void {
    if (!this.dispatcher.isSpare(slot.place) || this.dispatcher.running(slot.place) !== undefined) return
    clearTimeout(slot.idleTimer)
    slot.idleTimer = setTimeout(() => this.stopWorker(slot), spareIdleMs).unref()
  }

  /** A worker that cannot be understood any more. */
  private abandon(slot: Slot, reason: string): void {
    const ended = this.free(slot)
    this.replaceWorker(slot)
    ended?.ticket.reply({ kind: "defect", message: `a worker of the runtime failed: ${reason}` })
    this.dispatch()
  }

  /** A worker ended by itself: its pass is lost, and when no worker starts, so are the waiting ones. */
  private lose(slot: Slot, reason: string): void {
    const wasReady = this.dispatcher.isReady(slot.place)
    const ended = this.free(slot)
    slot.worker = undefined
    clearTimeout(slot.idleTimer)
    this.dispatcher.gone(slot.place)
    const message = `a worker of the runtime ended: ${reason}`
    ended?.ticket.reply({ kind: "defect", message })
    if (!wasReady && this.dispatcher.isDeserted) {
      for (const waiting of this.dispatcher.turns.removeAll()) {
        stopWaiting(waiting)
        waiting.reply({ kind: "defect", message })
      }
    } else if (wasReady && !this.closed && !this.dispatcher.isSpare(slot.place)) this.startWorker(slot)
  }

  private startWorker(slot: Slot): void {
    // A new word for each worker: one that was terminated may still be writing.
    slot.progress = new OrderProgress()
    const { cachedPrograms: keptPrograms, signing } = this.options
    const start = { keptPrograms, signing, progress: slot.progress.memory }
    const ifPresent =
      <A extends ReadonlyArray<unknown>>(act: (...told: A) => void) =>
      (...told: A): void => {
        if (slot.worker === worker) act(...told)
      }
    const worker: WorkerThread = new WorkerThread(this.options.workerFile, start, {
      onReport: ifPresent((report: WorkerReport) => this.receive(slot, report)),
      onUnreadable: ifPresent(() => this.abandon(slot, "its report could not be read")),
      onEnd: ifPresent((reason: string) => this.lose(slot, reason))
    })
    slot.worker = worker
    slot.known = new LRUCache({ max: this.options.cachedPrograms })
    this.dispatcher.started(slot.place)
  }

  private stopWorker(slot: Slot): void {
    const { worker } = slot
    slot.worker = undefined
    this.dispatcher.gone(slot.place)
    clearTimeout(slot.idleTimer)
    if (worker === undefined) return
    const ended = worker.terminate().finally(() => this.ending.delete(ended))
    this.ending.add(ended)
  }

  private replaceWorker(slot: Slot): void {
    this.stopWorker(slot)
    if (!this.closed && !this.dispatcher.isSpare(slot.place)) this.startWorker(slot)
  }
}
