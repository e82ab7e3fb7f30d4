/** The attempts of an executor at work: takes orders, runs tasks, tells edges how they go. */
import { type Overloaded, RuntimeDefect, type RunOutcome } from "@sibyl/core"
import { Leaving } from "@sibyl/core/internal"
import { engineName, type ResumableRuntime, type Tape } from "@sibyl/vm/internal"
import { Cause, type Context, Deferred, Effect, Either, Exit, Fiber, FiberId, Runtime } from "effect"
import type { Channel } from "../channel/channel.ts"
import type { NatsMessage } from "../connection/natsConnection.ts"
import { orderCodec, replyCodec } from "../contract/codec.ts"
import type { Answer, Order, Probe, Task } from "../contract/orders.ts"
import type { Ask, Body } from "../contract/replies.ts"
import { inboxOf } from "../contract/subjects.ts"
import { AttemptBook, type Numbered } from "./attemptBook.ts"
import { runTask } from "./attemptRun.ts"
import { ProgramCache } from "./programCache.ts"

/** A question is asked again after so long without an answer, in ms: either may have been lost. */
const askAgainMs = 1_000

/** An acceptance waits so long, in ms, at most twice, for what is said next: most runs have ended by then. Edges wait for 250 ms. */
const acceptWithinMs = 10

/** Maximum length of a defect's text: it is for the log of the edge. */
const defectLength = 4_096

const acceptance: Body = { kind: "accepted", engine: engineName }

/** What attempts need. */
export interface AttemptsOptions {
  readonly executor: string
  readonly places: number
  readonly channel: Channel
  readonly machine: Context.Tag.Service<ResumableRuntime>
  readonly runtime: Runtime.Runtime<never>
  readonly nowMs: () => number
  /** Whether all that edges send can arrive, and what they are answered. */
  readonly isInTouch: () => boolean
}

/** What is under way for an attempt. */
interface AtWork {
  readonly fiber: Fiber.RuntimeFiber<RunOutcome, Overloaded>
  readonly caller: Leaving
  /** By the number of the question. */
  readonly questions: Map<number, Deferred.Deferred<Answer>>
}

const defectText = (cause: Cause.Cause<unknown>): string => {
  const fault = Cause.squash(cause)
  return (
    fault instanceof RuntimeDefect ? fault.message : `an executor failed: ${fault instanceof Error ? fault.message : "no reason given"}`
  ).slice(0, defectLength)
}

/** The attempts of one executor. */
export class Attempts {
  readonly book: AttemptBook
  private readonly options: AttemptsOptions
  private readonly programs = new ProgramCache()
  private readonly atWork = new Map<string, AtWork>()
  /** Attempts whose acceptance was not sent yet, and whether it may travel with what follows it. */
  private readonly unsaid = new Map<string, boolean>()
  private isAccepting = false
  private isDraining = false

  constructor(options: AttemptsOptions) {
    this.options = options
    this.book = new AttemptBook(options.places)
  }

  /** Whether it takes no runs, whatever ends: none that could wait for answers which it does not hear, or whose ends nobody would. */
  get takesNone(): boolean {
    return this.isDraining || !this.options.isInTouch()
  }

  /** Runs that it takes now. */
  get free(): number {
    return this.takesNone || this.options.machine.readyWorkers() === 0 ? 0 : this.book.free
  }

  /** An order has come. */
  readonly ordered = (body: Uint8Array, _message: NatsMessage): void => {
    const order = orderCodec.decode(body)
    if (Either.isLeft(order)) return this.options.channel.countGarbage()
    this.obey(order.right)
  }

  /** An edge tells what it waits for. */
  probed({ attempts }: Probe): ReadonlyArray<string> {
    const { again, unknown } = this.book.probed(attempts, this.options.nowMs())
    for (const message of again) this.send(message)
    return unknown
  }

  /** Gives up what nobody wants. */
  look(isConnected: boolean): void {
    for (const attempt of this.book.look(this.options.nowMs(), isConnected)) this.giveUp(attempt)
  }

  /** Takes nothing more, and ends what it has: what has not ended within `budgetMs` is left to others. */
  drain(budgetMs: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isDraining = true
      const fibers = () => [...this.atWork.values()].map(({ fiber }) => fiber)
      return Effect.suspend(() => Fiber.awaitAll(fibers())).pipe(
        // Finalizers cannot be interrupted, and a time limit waits for what it has interrupted.
        Effect.interruptible,
        Effect.timeoutOption(budgetMs),
        Effect.zipRight(Effect.suspend(() => Fiber.interruptAll(fibers())))
      )
    })
  }

  private obey(order: Order): void {
    switch (order.kind) {
      case "task":
        return this.take(order)
      case "cancel":
        return this.giveUp(order.attempt)
      case "heard":
        for (const attempt of order.attempts) this.book.forget(attempt)
        return
      case "abandoned":
        return this.atWork.get(order.attempt)?.caller.leave()
      case "answer": {
        this.book.wanted(order.attempt, this.options.nowMs())
        const question = this.atWork.get(order.attempt)?.questions.get(order.n)
        if (question !== undefined) Deferred.unsafeDone(question, Effect.succeed(order.answer))
      }
    }
  }

  private take(task: Task): void {
    const { attempt } = task
    const verdict = this.free === 0 ? "full" : this.book.offer(attempt, this.options.nowMs())
    if (verdict === "known") return
    if (verdict === "full") return this.send({ attempt, n: 0, body: { kind: "full" } })
    this.book.say(attempt, acceptance, this.options.nowMs())
    this.acceptSoon(attempt, task.joins === true)
    const caller = new Leaving()
    const questions: AtWork["questions"] = new Map()
    const running = runTask(task, {
      runtime: this.options.machine,
      programs: this.programs,
      ask: (ask) => this.ask(attempt, ask, questions),
      onTape: this.teller(attempt, task.tape),
      abandoned: caller
    })
    const fiber = Runtime.runFork(this.options.runtime)(running)
    this.atWork.set(attempt, { fiber, caller, questions })
    // It may have ended: then this is called now.
    fiber.addObserver((exit) => this.ended(attempt, exit))
  }

  private acceptSoon(attempt: string, joins: boolean): void {
    this.unsaid.set(attempt, joins)
    if (this.isAccepting) return
    this.isAccepting = true
    Runtime.runFork(this.options.runtime)(this.accepting([]))
  }

  /** Accepts what has waited since it was last here, as long as there is anything that waits. */
  private accepting(waiting: ReadonlyArray<string>): Effect.Effect<void> {
    const step = Effect.suspend(() => {
      for (const attempt of waiting) this.acceptNow(attempt)
      this.isAccepting = this.unsaid.size > 0
      return this.isAccepting ? this.accepting([...this.unsaid.keys()]) : Effect.void
    })
    return Effect.delay(step, acceptWithinMs)
  }

  private acceptNow(attempt: string): void {
    if (this.unsaid.delete(attempt)) this.send({ attempt, n: 0, body: acceptance })
  }

  /** Tells each entry that comes on the tape, once. */
  private teller(attempt: string, begin: Tape) {
    let told = begin.entries.length
    return ({ entries }: Tape, spent: Parameters<NonNullable<Parameters<typeof runTask>[1]["onTape"]>>[1]): void => {
      const from = told
      told = entries.length
      this.say(attempt, { kind: "tape", from, entries: entries.slice(from), spent })
    }
  }

  private ask(attempt: string, ask: Ask, questions: AtWork["questions"]): Effect.Effect<Answer> {
    return Effect.suspend(() => {
      const n = this.book.say(attempt, { kind: "ask", ask }, this.options.nowMs())
      // Forgotten, and about to be interrupted.
      if (n === undefined) return Effect.never
      const question = Deferred.unsafeMake<Answer>(FiberId.none)
      questions.set(n, question)
      this.acceptNow(attempt)
      const asked = Effect.sync(() => this.send({ attempt, n, body: { kind: "ask", ask } }))
      return Effect.raceFirst(Deferred.await(question), Effect.forever(Effect.zipRight(asked, Effect.sleep(askAgainMs)))).pipe(
        Effect.ensuring(Effect.sync(() => questions.delete(n)))
      )
    })
  }

  private ended(attempt: string, exit: Exit.Exit<RunOutcome, Overloaded>): void {
    this.atWork.delete(attempt)
    try {
      this.say(attempt, this.lastWord(exit))
    } catch (fault) {
      this.say(attempt, { kind: "defect", message: defectText(Cause.die(fault)) })
    }
    this.book.end(attempt, this.options.nowMs())
  }

  private lastWord(exit: Exit.Exit<RunOutcome, Overloaded>): Body {
    if (Exit.isSuccess(exit)) return { kind: "done", outcome: exit.value }
    if (Cause.isInterruptedOnly(exit.cause)) return { kind: "left" }
    return Cause.isFailure(exit.cause) ? { kind: "overloaded" } : { kind: "defect", message: defectText(exit.cause) }
  }

  private giveUp(attempt: string): void {
    const work = this.atWork.get(attempt)
    this.atWork.delete(attempt)
    this.unsaid.delete(attempt)
    this.book.forget(attempt)
    if (work !== undefined) Runtime.runFork(this.options.runtime)(Fiber.interrupt(work.fiber))
  }

  /** Says something in an attempt; nothing, if it is forgotten. What cannot be written is not noted as said. */
  private say(attempt: string, body: Body): void {
    const n = this.book.next(attempt)
    if (n === undefined) return
    const joins = this.unsaid.get(attempt) === true
    const written = this.written({ attempt, n, body }, joins ? { before: [acceptance] } : {})
    this.book.say(attempt, body, this.options.nowMs())
    if (joins) this.unsaid.delete(attempt)
    else this.acceptNow(attempt)
    this.options.channel.send(inboxOf(attempt), written)
  }

  private written({ body, n }: Numbered, before: { readonly before?: ReadonlyArray<Body> } = {}): Uint8Array {
    return replyCodec.encode({ n, executor: this.options.executor, ...before, body })
  }

  private send(message: Numbered): void {
    this.options.channel.send(inboxOf(message.attempt), this.written(message))
  }
}
