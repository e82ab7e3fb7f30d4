/** A durable feed: followed from the last place that arrived, over one connection or over several at once. */
import type { FeedGap, FeedMessage, FeedRun } from "../contract/messages.ts"
import type { FeedPlace } from "../contract/requests.ts"
import type { ClientError } from "../errors/clientError.ts"
import { type FeedGround, type FeedSource, RefusedRequests } from "./feedSink.ts"
import { cursorBefore, type FollowCursor, gapVerdict, placeOfRun, runVerdict } from "./followCursor.ts"
import type { Link, LinkUser } from "./link.ts"
import type { Session } from "./session.ts"

/** A durable feed of the project to follow. */
export interface FollowRequest {
  readonly feedId: string
  /** The place of the last result that is known; by default what ends from now on is given. */
  readonly after?: FeedPlace | undefined
  /** Follow it at all `urls` at once: the first answer counts, and one of them may fail unnoticed. By default they are used in turn. */
  readonly parallel?: boolean | undefined
}

/** The feed as it is followed over one link. */
class Follower implements LinkUser {
  readonly #feed: FollowedFeed
  readonly #link: Link
  readonly #refusals: RefusedRequests
  #session: Session | undefined
  #stopListening: (() => boolean) | undefined
  #isFollowing = false

  constructor(feed: FollowedFeed, link: Link) {
    this.#feed = feed
    this.#link = link
    this.#refusals = new RefusedRequests(feed.ground)
  }

  get isFollowing(): boolean {
    return this.#isFollowing
  }

  start(): void {
    this.#link.join(this)
  }

  stop(): void {
    this.#refusals.forget()
    if (this.#stopListening?.() === true) this.#session?.call("feed.stop", { feedId: this.#feed.feedId }, () => undefined)
    this.#stopListening = undefined
    this.#session = undefined
    this.#isFollowing = false
    this.#link.leave(this)
  }

  opened(session: Session): void {
    this.#session = session
    this.#stopListening = session.listen(this.#feed.feedId, (message) => {
      if (this.#isFollowing && !this.#feed.hear(message)) this.#followAgain(session)
    })
    this.#follow(session)
  }

  lost(): void {
    const wasFollowing = this.#isFollowing
    this.#refusals.forget()
    this.#stopListening?.()
    this.#stopListening = undefined
    this.#session = undefined
    this.#isFollowing = false
    if (wasFollowing) this.#feed.lost()
  }

  refused(error: ClientError): void {
    this.#feed.refused(this, error)
  }

  #follow(session: Session): void {
    const { after, feedId } = this.#feed
    session.call("feed.follow", { feedId, ...(after === undefined ? {} : { after }) }, (reply) => {
      if (this.#session !== session) return
      if ("error" in reply) return this.#refusals.refused(reply.error, () => this.#follow(session))
      this.#refusals.accepted()
      this.#isFollowing = true
    })
  }

  /** Something is missing, and the service has it: what comes until it begins anew is not heard. */
  #followAgain(session: Session): void {
    this.#isFollowing = false
    session.call("feed.stop", { feedId: this.#feed.feedId }, () => {
      if (this.#session === session) this.#follow(session)
    })
  }
}

/** One place for all its followers: what one of them has brought is old for the others. */
export class FollowedFeed implements FeedSource {
  readonly ground: FeedGround
  readonly feedId: string
  readonly #followers: Array<Follower>
  #cursor: FollowCursor
  #isStopped = false

  /** `links`: at least one. */
  constructor(ground: FeedGround, { after, feedId }: FollowRequest, links: ReadonlyArray<Link>) {
    this.ground = ground
    this.feedId = feedId
    this.#cursor = after
    this.#followers = links.map((link) => new Follower(this, link))
  }

  /** The place to follow from. */
  get after(): FollowCursor {
    return this.#cursor
  }

  /** Begins. */
  start(): void {
    for (const follower of this.#followers) follower.start()
  }

  /** Ends the following; the feed goes on. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    for (const follower of this.#followers) follower.stop()
  }

  /** What a follower was told. Answers whether nothing is missing before it. */
  hear(message: FeedMessage): boolean {
    if (this.#isStopped) return true
    if (message.method === "feed.ended") {
      this.stop()
      this.ground.sink.end()
      return true
    }
    return message.method === "feed.gap" ? this.#hearGap(message.params) : this.#hearRun(message.params)
  }

  /** A follower has lost its connection: without a place to go on from, nobody knows what came meanwhile. */
  lost(): void {
    if (this.#cursor !== undefined || this.#isStopped || this.#followers.some(({ isFollowing }) => isFollowing)) return
    this.ground.sink.push({ kind: "gap", why: "reconnected", feedId: this.feedId, missed: undefined, from: undefined, to: undefined })
  }

  /** A follower gives up. The feed fails with the last one. */
  refused(follower: Follower, error: ClientError): void {
    if (this.#followers.length === 1) return this.ground.sink.fail(error)
    this.#followers.splice(this.#followers.indexOf(follower), 1)
    follower.stop()
  }

  #hearRun(run: FeedRun): boolean {
    const place = placeOfRun(run)
    const verdict = place === undefined ? "old" : runVerdict(this.#cursor, place)
    if (verdict !== "take") return verdict === "old"
    this.#cursor = place
    this.ground.sink.push({ kind: "run", run })
    return true
  }

  #hearGap(gap: FeedGap): boolean {
    const told = gapVerdict(this.#cursor, gap)
    if (told.verdict !== "take") return told.verdict === "old"
    const { from, to } = told
    this.#cursor = cursorBefore(to)
    const missed = from.epoch === to.epoch ? to.seq - from.seq : undefined
    this.ground.sink.push({ kind: "gap", why: gap.why ?? "notKept", feedId: this.feedId, missed, from, to })
    return true
  }
}
