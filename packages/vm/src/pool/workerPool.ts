/** Workers, turns between the projects that wait for them, and a wall clock over each pass. */
import type { WorkerReport } from "../orders/messages.ts"
import type { PassJob, PassReply } from "./passJob.ts"
import { DeadlyPrograms } from "./deadlyPrograms.ts"
import { EarliestTimer } from "./earliestTimer.ts"
import { Dispatcher, mostGiven, type Move } from "./dispatcher.ts"
import { jobAgain } from "./lostPass.ts"
import { overdue } from "./overdue.ts"
import { PassOrders } from "./passOrders.ts"
import { PassTimes } from "./passTimes.ts"
import { PlacedWorkers } from "./placedWorkers.ts"
import type { PoolOptions } from "./poolOptions.ts"
import { PoolPrograms } from "./poolPrograms.ts"
import { answer, beginWaiting, stopWaiting, type Ticket, ticketOf } from "./ticket.ts"
import { emptySlot, type Slot } from "./workerSlot.ts"
import type { WorkerEnd } from "../workers/poolWorker.ts"

/** A pass that is over, and how long it took. */
interface EndedPass {
  readonly ticket: Ticket
  readonly elapsedMs: number
}

/** Runs passes on workers. A worker that had to be terminated is replaced before the next pass needs it. */
export class WorkerPool {
  private readonly options: PoolOptions
  private readonly slots: ReadonlyArray<Slot>
  private readonly programs: PoolPrograms
  private readonly orders: PassOrders
  /** The programs that ended their workers. */
  readonly deadly = new DeadlyPrograms()
  private readonly times = new PassTimes()
  private readonly dispatcher: Dispatcher<Ticket>
  private readonly workers: PlacedWorkers
  /** Rings when workers may count as stuck, while somebody waits for that. */
  private readonly stuckTimer = new EarliestTimer(() => this.lookForStuck())
  private readonly endBreaks: (() => void) | undefined
  private closed = false

  constructor(options: PoolOptions) {
    this.options = options
    this.programs = new PoolPrograms(options.cachedPrograms)
    this.orders = new PassOrders(this.programs)
    const { spareWorkers = 0, workers } = options
    this.dispatcher = new Dispatcher(workers, spareWorkers, (ticket) => this.expectedMs(ticket))
    this.slots = Array.from({ length: workers + spareWorkers }, (_, place) =>
      emptySlot(place, options.cachedPrograms, (late) => this.expire(late))
    )
    this.workers = new PlacedWorkers(options, this.dispatcher, {
      onReport: (slot, report) => this.receive(slot, report),
      onUnreadable: (slot) => this.abandon(slot, "its report could not be read"),
      onEnd: (slot, end) => this.lose(slot, end)
    })
    for (const slot of this.slots.slice(0, workers)) this.workers.start(slot)
    this.endBreaks = options.breaks?.each(() => this.takeReports())
  }

  /** Terminated workers that have not ended yet. */
  get endingWorkers(): number {
    return this.workers.ending
  }

  /** Workers that have started and not ended, idle or at work. Spare ones come and go, and are not counted. */
  get readyWorkers(): number {
    return this.slots.filter(({ place }) => this.dispatcher.isReady(place) && !this.dispatcher.isSpare(place)).length
  }

  /** Queues a pass; `reply` is called once. The returned function takes the pass back: then nothing is replied. */
  submit(job: PassJob, reply: (reply: PassReply) => void): () => void {
    const { abandoned, first } = job
    const { turns } = this.dispatcher
    const deadly = this.deadly.replyTo(job)
    if (deadly !== undefined) {
      reply(deadly)
      return () => {}
    }
    const ticket = ticketOf(job, reply)
    const isFull = first && turns.starting >= this.options.queueBound
    if (isFull || abandoned?.isAbandoned === true) {
      reply({ kind: isFull ? "queueFull" : "abandoned" })
      return () => {}
    }
    turns.add(ticket)
    this.dispatch()
    if (ticket.place === undefined) beginWaiting(ticket, (kind) => this.giveUp(ticket, kind))
    return () => this.takeBack(ticket)
  }

  /** Terminates every worker and waits until all have ended. Nothing is replied to any more. */
  async close(): Promise<void> {
    this.closed = true
    this.endBreaks?.()
    this.stuckTimer.clear()
    for (const slot of this.slots) this.free(slot)
    const ended = this.workers.close(this.slots)
    for (const ticket of this.dispatcher.turns.removeAll()) stopWaiting(ticket)
    await ended
  }

  private takeBack(ticket: Ticket): void {
    ticket.isAnswered = true
    if (this.dispatcher.turns.remove(ticket)) {
      stopWaiting(ticket)
      return
    }
    const slot = this.slots[ticket.place ?? -1]
    // It may have ended, and another pass be there by now; or it lies ahead, and nobody will hear of it.
    if (slot === undefined || this.dispatcher.running(slot.place)?.pass !== ticket) return
    this.free(slot)
    this.workers.replace(slot)
    this.dispatch()
  }

  private giveUp(ticket: Ticket, kind: "waitedTooLong" | "abandoned"): void {
    if (!this.dispatcher.turns.remove(ticket)) return
    stopWaiting(ticket)
    answer(ticket, { kind })
  }

  /** What wants no worker takes no time; what is only prepared may be new. */
  private expectedMs({ job, timesKey }: Ticket): number {
    if (job.isAdmission === true) return 0
    return job.isCheck === true ? Infinity : this.times.expectedMs(timesKey)
  }

  private dispatch(): void {
    const nowMs = performance.now()
    let { againInMs, moves } = this.dispatcher.decide(nowMs)
    while (this.carryOut(moves)) ({ againInMs, moves } = this.dispatcher.decide(nowMs))
    if (againInMs !== undefined) this.stuckTimer.at(nowMs + againInMs)
  }

  private lookForStuck(): void {
    if (this.closed) return
    this.takeReports()
    for (const { passes, place, toLeaveOut } of this.dispatcher.recall(performance.now())) {
      const slot = this.slots[place]
      // Not the first one, although it may not have begun.
      slot?.worker?.recall(slot.reports + 1, slot.reports + 1 + toLeaveOut)
      for (const ticket of passes) ticket.place = undefined
    }
    this.dispatch()
  }

  /** Whether a worker became free again by it. */
  private carryOut(moves: ReadonlyArray<Move<Ticket>>): boolean {
    let isFree = false
    for (const move of moves) {
      const slot = this.slots[move.place]
      if (slot === undefined) continue
      if (move.kind === "start") this.workers.start(slot)
      // What wants no worker, or has been run by another one meanwhile.
      else if (move.pass.job.isAdmission === true || move.pass.isAnswered) {
        this.admit(slot, move.pass)
        isFree = true
      } else this.give(slot, move.pass)
    }
    return isFree
  }

  private admit({ place }: Slot, ticket: Ticket): void {
    ticket.place = place
    stopWaiting(ticket)
    this.dispatcher.ended(place, performance.now(), ticket)
    answer(ticket, { kind: "admitted" })
  }

  /** The slot's running pass is over; answers what it was, and how long it took in ms. */
  private free({ place }: Slot): EndedPass | undefined {
    const running = this.dispatcher.running(place)
    if (running === undefined) return undefined
    const nowMs = performance.now()
    this.dispatcher.ended(place, nowMs)
    return { ticket: running.pass, elapsedMs: nowMs - running.sinceMs }
  }

  private give(slot: Slot, ticket: Ticket): void {
    const { job } = ticket
    ticket.place = slot.place
    stopWaiting(ticket)
    clearTimeout(slot.idleTimer)
    slot.worker?.give(this.orders.orderFor(slot, job))
    this.watchRunning(slot)
    if (ticket.isStarted) return
    ticket.isStarted = true
    job.onStart?.()
  }

  /** The running pass may have reached the deadline of one of its phases as soon as the shorter one is over. */
  private watchRunning(slot: Slot): void {
    const running = this.dispatcher.running(slot.place)
    if (running === undefined) return
    const { budgetMs, tally } = running.pass.job
    slot.watch.at(running.sinceMs + Math.min(budgetMs, tally?.budgetMs ?? budgetMs))
  }

  private expire(place: number): void {
    const slot = this.slots[place]
    const running = this.dispatcher.running(place)
    if (slot === undefined || running === undefined || this.closed) return
    const { pass: ticket, sinceMs } = running
    const nowMs = performance.now()
    // Its report is on its way.
    if (slot.progress.isPast(slot.reports)) return slot.watch.at(nowMs + 1)
    const verdict = overdue(ticket.job, nowMs - sinceMs, slot.progress.tallyAfterMs(slot.reports))
    if (verdict.kind === "inTime") return slot.watch.at(nowMs + verdict.leftMs)
    this.free(slot)
    this.workers.replace(slot)
    this.options.onLost?.({ why: "deadline", reason: verdict.kind })
    answer(ticket, verdict)
    this.dispatch()
  }

  private takeReports(): void {
    for (const slot of this.slots) {
      // As many as it may have had, so that a quick worker does not keep this thread for as long as anything waits for it.
      for (let left = mostGiven; left > 0 && this.dispatcher.running(slot.place) !== undefined; left -= 1) {
        if (slot.worker?.takeReport() !== true) break
      }
    }
  }

  private receive(slot: Slot, report: WorkerReport): void {
    if (report.kind === "ready") this.dispatcher.ready(slot.place)
    else this.receiveEnd(slot, report)
    this.dispatch()
    this.workers.keepForAWhile(slot)
  }

  private receiveEnd(slot: Slot, report: Exclude<WorkerReport, { readonly kind: "ready" }>): void {
    slot.reports += 1
    if (report.kind === "leftOut") {
      if (this.dispatcher.leftOut(slot.place, performance.now())) this.watchRunning(slot)
      else this.abandon(slot, "it left out what it was to run")
      return
    }
    const ended = this.free(slot)
    if (ended === undefined) return
    this.watchRunning(slot)
    const { elapsedMs, ticket } = ended
    // It may have failed before it had the program.
    if (report.kind === "defect") this.workers.forgetKnown(slot)
    else this.programs.keep(report.prepared)
    if (report.kind === "passed") this.times.note(ticket.timesKey, report.ranMs)
    answer(ticket, report.kind === "defect" ? report : { elapsedMs, ...report })
  }

  /** A worker that cannot be understood any more. */
  private abandon(slot: Slot, reason: string): void {
    const ended = this.free(slot)
    this.workers.replace(slot)
    if (ended !== undefined) answer(ended.ticket, { kind: "defect", message: `a worker of the runtime failed: ${reason}` })
    this.dispatch()
  }

  /** A worker ended by itself: when no worker starts, the passes that wait are lost. */
  private lose(slot: Slot, end: WorkerEnd): void {
    const wasReady = this.dispatcher.isReady(slot.place)
    const ended = this.free(slot)
    this.workers.leave(slot)
    this.options.onLost?.({ why: end.loss?.why ?? "crash", reason: end.reason })
    const defect: PassReply = { kind: "defect", message: `a worker of the runtime ended: ${end.reason}` }
    if (ended !== undefined) this.replyToLost(slot, ended, end, defect)
    if (!wasReady && this.dispatcher.isDeserted) {
      for (const waiting of this.dispatcher.turns.removeAll()) {
        stopWaiting(waiting)
        answer(waiting, defect)
      }
    } else if (wasReady) {
      this.workers.succeed(slot)
      this.dispatch()
    }
  }

  /** A pass without a worker: where only the worker is gone, another one runs it again, to the same end; but only once. */
  private replyToLost({ progress, reports }: Slot, { elapsedMs, ticket }: EndedPass, { loss }: WorkerEnd, defect: PassReply): void {
    if (loss === undefined) return answer(ticket, defect)
    const lost = { loss, elapsedMs, tallyAfterMs: progress.tallyAfterMs(reports) }
    const again = ticket.isSecond ? undefined : jobAgain(ticket.job, lost)
    if (again === undefined) return answer(ticket, this.deadly.remember(ticket.job, lost))
    ticket.job = again
    ticket.first = false
    ticket.isSecond = true
    ticket.place = undefined
    this.dispatcher.turns.add(ticket)
  }
}
