/** Workers, turns between the projects that wait for them, and a wall clock over each pass. */
import type { WorkerReport } from "../orders/messages.ts"
import type { PassJob, PassReply } from "./passJob.ts"
import { LRUCache } from "lru-cache"
import { DeadlyPrograms } from "./deadlyPrograms.ts"
import { Dispatcher, type Move } from "./dispatcher.ts"
import { OrderProgress } from "../orders/orderProgress.ts"
import { jobAgain } from "./lostPass.ts"
import { overdue } from "./overdue.ts"
import type { PoolOptions } from "./poolOptions.ts"
import { PoolPrograms } from "./poolPrograms.ts"
import { type EndedPass, emptySlot, type Slot, stopWaiting, type Ticket } from "./workerSlot.ts"
import type { PoolWorker, WorkerEnd } from "../workers/poolWorker.ts"

/** How long an unused spare worker is kept: starting one takes some tens of milliseconds. */
const spareIdleMs = 10_000

/** Runs passes on workers. A worker that had to be terminated is replaced before the next pass needs it. */
export class WorkerPool {
  private readonly options: PoolOptions
  private readonly slots: ReadonlyArray<Slot>
  private readonly programs: PoolPrograms
  private readonly deadly = new DeadlyPrograms()
  private readonly dispatcher: Dispatcher<Ticket>
  private readonly ending = new Set<Promise<unknown>>()
  /** Set while somebody waits for the moment when all workers are stuck. */
  private stuckTimer: NodeJS.Timeout | undefined
  private readonly endBreaks: (() => void) | undefined
  private closed = false

  constructor(options: PoolOptions) {
    this.options = options
    this.programs = new PoolPrograms(options.cachedPrograms)
    const { spareWorkers = 0, workers } = options
    this.dispatcher = new Dispatcher(workers, spareWorkers)
    this.slots = Array.from({ length: workers + spareWorkers }, (_, place) => emptySlot(place, options.cachedPrograms))
    for (const slot of this.slots.slice(0, workers)) this.startWorker(slot)
    this.endBreaks = options.breaks?.each(() => this.takeReports())
  }

  /** Terminated workers that have not ended yet. */
  get endingWorkers(): number {
    return this.ending.size
  }

  /** Workers that have started and not ended, idle or at work. Spare ones come and go, and are not counted. */
  get readyWorkers(): number {
    return this.slots.filter(({ place }) => this.dispatcher.isReady(place) && !this.dispatcher.isSpare(place)).length
  }

  /** Queues a pass; `reply` is called once. The returned function takes the pass back: then nothing is replied. */
  submit(job: PassJob, reply: (reply: PassReply) => void): () => void {
    const { abandoned, first, projectId } = job
    const { turns } = this.dispatcher
    const deadly = this.deadly.replyTo(job)
    if (deadly !== undefined) {
      reply(deadly)
      return () => {}
    }
    const ticket: Ticket = { job, reply, projectId, first, isSecond: false, place: undefined, timer: undefined, onAbandoned: undefined }
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
  private free({ place }: Slot): EndedPass | undefined {
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
    const order = this.programs.orderFor(slot, job)
    slot.progress.clear()
    this.watch(slot, ticket, Math.min(job.budgetMs, job.tally?.budgetMs ?? job.budgetMs))
    slot.worker?.give(order)
    job.onStart?.()
  }

  /** Looks at a running order when one of its phases may have reached its deadline. */
  private watch(slot: Slot, ticket: Ticket, inMs: number): void {
    // What the worker has told by then is heard first.
    ticket.timer = setTimeout(() => setImmediate(() => this.expire(slot, ticket)), Math.max(0, Math.ceil(inMs)))
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
    this.options.onLost?.({ why: "deadline", reason: verdict.kind })
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
      if (report.kind !== "defect") this.programs.keep(report.prepared)
      ticket.reply(report.kind === "defect" ? report : { ...report, elapsedMs })
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

  /** A worker ended by itself: when no worker starts, the passes that wait are lost. */
  private lose(slot: Slot, end: WorkerEnd): void {
    const wasReady = this.dispatcher.isReady(slot.place)
    const ended = this.free(slot)
    slot.worker = undefined
    clearTimeout(slot.idleTimer)
    this.dispatcher.gone(slot.place)
    this.options.onLost?.({ why: end.loss?.why ?? "crash", reason: end.reason })
    const defect: PassReply = { kind: "defect", message: `a worker of the runtime ended: ${end.reason}` }
    if (ended !== undefined) this.replyToLost(slot, ended, end, defect)
    if (!wasReady && this.dispatcher.isDeserted) {
      for (const waiting of this.dispatcher.turns.removeAll()) {
        stopWaiting(waiting)
        waiting.reply(defect)
      }
    } else if (wasReady) {
      if (!this.closed && !this.dispatcher.isSpare(slot.place)) this.startWorker(slot)
      this.dispatch()
    }
  }

  /** A pass without a worker: where only the worker is gone, another one runs it again, to the same end; but only once. */
  private replyToLost({ progress }: Slot, { elapsedMs, ticket }: EndedPass, { loss }: WorkerEnd, defect: PassReply): void {
    if (loss === undefined) return ticket.reply(defect)
    const lost = { loss, elapsedMs, tallyAfterMs: progress.tallyAfterMs }
    const again = ticket.isSecond ? undefined : jobAgain(ticket.job, lost)
    if (again === undefined) return ticket.reply(this.deadly.remember(ticket.job, lost))
    ticket.job = again
    ticket.first = false
    ticket.isSecond = true
    ticket.place = undefined
    this.dispatcher.turns.add(ticket)
  }

  private startWorker(slot: Slot): void {
    // A new word for each worker: one that was terminated may still be writing.
    slot.progress = new OrderProgress()
    const { cachedPrograms, openWorker } = this.options
    const ifPresent =
      <A extends ReadonlyArray<unknown>>(act: (...told: A) => void) =>
      (...told: A): void => {
        if (slot.worker === worker) act(...told)
      }
    const worker: PoolWorker = openWorker(cachedPrograms, slot.progress, {
      onReport: ifPresent((report: WorkerReport) => this.receive(slot, report)),
      onUnreadable: ifPresent(() => this.abandon(slot, "its report could not be read")),
      onEnd: ifPresent((end: WorkerEnd) => this.lose(slot, end))
    })
    slot.worker = worker
    slot.known = new LRUCache({ max: cachedPrograms })
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
