/** A feed that lives with its connection: it is started anew on each, and what may be missing in between is told. */
import type { FeedMessage } from "../contract/messages.ts"
import type { ExecuteRequest, FeedMode } from "../contract/requests.ts"
import type { ClientError } from "../errors/clientError.ts"
import { membersOf } from "../contract/json.ts"
import { type FeedGround, type FeedSource, RefusedRequests } from "./feedSink.ts"
import type { Link, LinkUser } from "./link.ts"
import { arrived, firstOpen, freshTracker, type RunTracker } from "./runTracker.ts"
import type { Session } from "./session.ts"

/** A feed to start. */
export interface FeedRequest {
  readonly execute: ExecuteRequest
  /** FIXED: even intervals, runs do not overlap; SEQUENTIAL: a period after the last end; PARALLEL: even intervals, runs may overlap. */
  readonly mode: FeedMode
  readonly periodicityMs: number
  /** Have each run together with all connections of the project that ask for the same feed: one charge for all. */
  readonly share?: boolean | undefined
}

/** How many numbers later a run of a PARALLEL feed may still come. */
const parallelWindow = 1_024

/** Starts the feed on each session of its link. */
export class ConnectionFeed implements FeedSource, LinkUser {
  readonly #ground: FeedGround
  readonly #request: FeedRequest
  readonly #link: Link
  readonly #refusals: RefusedRequests
  #tracker: RunTracker
  #session: Session | undefined
  #feedId: string | undefined
  #isAsked = false
  #stopListening: (() => boolean) | undefined
  #isStopped = false

  constructor(ground: FeedGround, request: FeedRequest, link: Link) {
    this.#ground = ground
    this.#request = request
    this.#link = link
    this.#refusals = new RefusedRequests(ground)
    this.#tracker = freshTracker(request.share === true)
  }

  /** Begins. */
  start(): void {
    this.#link.join(this)
  }

  /** Ends the feed, here and at the service. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#refusals.forget()
    this.#endHere()
    this.#link.leave(this)
  }

  opened(session: Session): void {
    this.#session = session
    this.#begin(session)
  }

  lost(): void {
    const [feedId, isAsked] = [this.#feedId, this.#isAsked]
    this.#refusals.forget()
    this.#session = undefined
    this.#feedId = undefined
    this.#isAsked = false
    this.#stopListening?.()
    this.#stopListening = undefined
    // It may have begun although its id did not arrive.
    if (!isAsked) return
    const seq = feedId === undefined ? undefined : firstOpen(this.#tracker)
    const from = seq === undefined ? undefined : { seq }
    this.#ground.sink.push({ kind: "gap", why: "reconnected", feedId, missed: undefined, from, to: undefined })
  }

  refused(error: ClientError): void {
    this.#ground.sink.fail(error)
  }

  #begin(session: Session): void {
    this.#isAsked = true
    session.call("feed.start", this.#request, (reply) => {
      if ("error" in reply) {
        this.#isAsked = false
        if (!this.#isStopped) this.#refusals.refused(reply.error, () => this.#begin(session))
        return
      }
      const { feedId } = membersOf(reply.result)
      if (typeof feedId !== "string") return session.close("answered feed.start without an id")
      this.#refusals.accepted()
      this.#tracker = freshTracker(this.#request.share === true)
      this.#feedId = feedId
      this.#stopListening = session.listen(feedId, (message) => this.#hear(message))
      if (this.#isStopped) this.#endHere()
    })
  }

  /** A shared feed that somebody else of this page has too goes on. */
  #endHere(): void {
    if (this.#stopListening?.() === true) this.#session?.call("feed.stop", { feedId: this.#feedId }, () => undefined)
    this.#stopListening = undefined
  }

  #hear(message: FeedMessage): void {
    const { sink } = this.#ground
    if (message.method === "feed.gap") {
      const { feedId, missed } = message.params
      // Which numbers they would have had is not said: the next one that comes is taken for the first.
      this.#tracker = freshTracker(true)
      return sink.push({ kind: "gap", why: "missed", feedId, missed, from: undefined, to: undefined })
    }
    if (message.method !== "feed.result") return
    const { params: run } = message
    const { isNew, missing, tracker } = arrived(this.#tracker, run.seq, this.#request.mode === "PARALLEL" ? parallelWindow : 1)
    this.#tracker = tracker
    for (const { from, to } of missing) {
      sink.push({ kind: "gap", why: "missed", feedId: run.feedId, missed: to - from, from: { seq: from }, to: { seq: to } })
    }
    if (isNew) sink.push({ kind: "run", run })
  }
}
