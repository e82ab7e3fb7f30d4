/** The place of one edge: its process is started, and replaced when it ends, until the server drains. */
import { Deferred, Effect, type Either } from "effect"
import { CommandFailed } from "../../output/failure.ts"
import type { CannotListen, ForkEdge, Listening } from "../listen/listening.ts"
import type { AboutFeeds, AboutLimits, AboutMetrics, FromEdge, ToEdge } from "./edgeMessages.ts"
import type { EdgeOrder } from "./edgeOrder.ts"
import { type EdgeEnd, EdgeProcess } from "./edgeProcess.ts"
import { quickEnds, restartPauseMs } from "../../supervision/restartPause.ts"
import { logPart } from "@sibyl/core/internal"

/** What the places of a server have in common. */
export interface Ground {
  readonly forkEdge: ForkEdge
  /** An edge tells or asks something about the limits that all share. */
  readonly heard: (edge: EdgeProcess, message: AboutLimits) => void
  /** An edge tells something about feeds that all share. */
  readonly aboutFeeds: (edge: EdgeProcess, message: AboutFeeds) => void
  /** An edge tells or asks something about what was measured. */
  readonly aboutMetrics: (edge: EdgeProcess, message: AboutMetrics) => void
  /** Of the relay between the edges. */
  readonly scope: string
  readonly write: (edge: EdgeProcess, message: Extract<FromEdge, { readonly kind: "write" }>) => void
  readonly gone: (edge: EdgeProcess) => void
  /** Done when the server drains. */
  readonly draining: Deferred.Deferred<void>
}

/** Why no process of a place listens. */
export type EdgeFailed = CommandFailed | CannotListen

/** A place for an edge. */
export class EdgePlace {
  readonly #ground: Ground
  readonly #order: EdgeOrder
  readonly #name: string
  readonly #first: Deferred.Deferred<Listening, EdgeFailed>
  #process: EdgeProcess | undefined
  /** Why the process says that it cannot serve. */
  #reason: string | undefined

  private constructor(ground: Ground, order: EdgeOrder, name: string, first: Deferred.Deferred<Listening, EdgeFailed>) {
    this.#ground = ground
    this.#order = order
    this.#name = name
    this.#first = first
  }

  /** A place without a process. `name` is for the log. */
  static readonly make = (ground: Ground, order: EdgeOrder, name: string): Effect.Effect<EdgePlace> =>
    Effect.map(Deferred.make<Listening, EdgeFailed>(), (first) => new EdgePlace(ground, order, name, first))

  /** Where the first process of the place listens, or why it does not. */
  get listening(): Effect.Effect<Listening, EdgeFailed> {
    return Deferred.await(this.#first)
  }

  /** The process that is there now. */
  get process(): EdgeProcess | undefined {
    return this.#process
  }

  /** Sends a message to the process that is there now. */
  tell(message: ToEdge): void {
    this.#process?.tell(message)
  }

  /** Runs one process after the other; ends when the server drains and the last one has ended, or when the first one never listened. */
  readonly run: Effect.Effect<void> = Effect.gen(this, function* () {
    let ends = 0
    for (;;) {
      const end = yield* Effect.either(this.#runOne)
      const how = end._tag === "Left" ? end.left.message : this.#endText(end.right)
      const failure = end._tag === "Left" ? end.left : new CommandFailed({ message: `an edge could not start: ${how}` })
      if (yield* Deferred.fail(this.#first, failure)) return
      if (yield* Deferred.isDone(this.#ground.draining)) return yield* this.#warnOf(end)
      ends = quickEnds(ends, end._tag === "Left" ? 0 : end.right.livedMs)
      const pauseMs = restartPauseMs(ends)
      yield* Effect.annotateLogs(
        Effect.logWarning(`${this.#name} ${how}; another process takes its place in ${pauseMs} ms`),
        logPart("processes")
      )
      yield* Effect.race(Effect.sleep(pauseMs), Deferred.await(this.#ground.draining))
      if (yield* Deferred.isDone(this.#ground.draining)) return
    }
  })

  /** Whoever drains ends with code 0; otherwise work may be lost. */
  #warnOf(end: Either.Either<EdgeEnd, CannotListen>): Effect.Effect<void> {
    if (end._tag === "Left" || end.right.how === "code 0") return Effect.void
    return Effect.annotateLogs(
      Effect.logWarning(`${this.#name} ${this.#endText(end.right)}, before it had finished its work`),
      logPart("processes")
    )
  }

  #endText({ how }: EdgeEnd): string {
    return `ended with ${how}${this.#reason === undefined ? "" : `: ${this.#reason}`}`
  }

  /** One process from its start to its end. */
  readonly #runOne: Effect.Effect<EdgeEnd, CannotListen> = Effect.gen(this, function* () {
    this.#reason = undefined
    const edge = new EdgeProcess(yield* this.#ground.forkEdge, (message) => this.#heard(edge, message))
    this.#process = edge
    // Others were told to drain before this one was there.
    if (yield* Deferred.isDone(this.#ground.draining)) edge.tell({ kind: "drain" })
    const end = yield* Effect.promise(() => edge.ended)
    this.#process = undefined
    this.#ground.gone(edge)
    return end
  })

  #heard(edge: EdgeProcess, message: FromEdge): void {
    if (message.kind === "ready") edge.tell({ kind: "start", order: this.#order, scope: this.#ground.scope })
    else if (message.kind === "failed") this.#reason = message.message
    else if (message.kind === "listening") Deferred.unsafeDone(this.#first, Effect.succeed(message))
    else if (message.kind === "write") this.#ground.write(edge, message)
    else if (message.kind === "metrics" || message.kind === "askMetrics") this.#ground.aboutMetrics(edge, message)
    else if (message.kind === "news" || message.kind === "listens") this.#ground.aboutFeeds(edge, message)
    else this.#ground.heard(edge, message)
  }
}
