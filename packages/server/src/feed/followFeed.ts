/** What `sibyl feeds follow` does: prints the results of a durable feed as they come in, from a place on or from now. */
import { FeedEndedNotification, FeedGapNotification, type FeedMode, feedModes } from "@sibyl/core"
import { Clock, Effect, Either, Option, Schema } from "effect"
import { type Asked, refusedValue } from "../input/asked.ts"
import { printLines, readerGone } from "../output/lines.ts"
import { isColoured } from "../output/paint.ts"
import { type FeedsServer, readFeed } from "./durableFeeds.ts"
import { keyOf } from "./feedKey.ts"
import { failureText, type FeedRun, readServiceMessage } from "./feedMessages.ts"
import { closedText, FeedFailed, openFeedSocket, webSocketAddress } from "./feedSocket.ts"
import { feedView } from "./feedView.ts"

/** What to follow. */
export interface FollowSettings extends FeedsServer {
  readonly feedId: string
  /** The place after which results are wanted, `EPOCH:SEQ`; absent: those of runs that start from now on. */
  readonly after: Option.Option<string>
  /** The number of results after which it ends. */
  readonly count: Option.Option<number>
}

interface Place {
  readonly epoch: number
  readonly seq: number
}

const placeForm = /^(\d{1,15}):(\d{1,15})$/

const placeOf = (text: string): Asked<Place> => {
  const [, epoch, seq] = placeForm.exec(text) ?? []
  return epoch === undefined || seq === undefined
    ? Either.left(refusedValue("--after", "a place, EPOCH:SEQ, such as 1764072000000:41", text))
    : Either.right({ epoch: Number(epoch), seq: Number(seq) })
}

const placeText = ({ epoch, seq }: Place): string => `${epoch}:${seq}`

const decodeNotice = Schema.decodeUnknownOption(Schema.parseJson(Schema.Union(FeedGapNotification, FeedEndedNotification)))

const whyGone = { notKept: "no longer kept", newEpoch: "the schedule began anew" } as const

const gapLine = ({ from, to, why }: (typeof FeedGapNotification.Type)["params"]): string =>
  from === undefined || to === undefined
    ? "results are missing here"
    : `results are missing from ${placeText(from)} up to ${placeText(to)}${why === undefined ? "" : `: ${whyGone[why]}`}`

/** How results are shown, and how many are wanted. */
interface Shown {
  readonly json: boolean
  readonly line: (run: FeedRun, raw: object, receivedAtMs: number) => string
  readonly most: number
}

/** Follows over an open connection: the last place that was seen, and how many results. */
class Following {
  seen = 0
  isOver = false
  #last: Place | undefined
  readonly #request: object
  readonly #shown: Shown

  constructor(request: object, after: Place | undefined, shown: Shown) {
    this.#request = request
    this.#last = after
    this.#shown = shown
  }

  /** How to go on behind what was seen. */
  get resumption(): string {
    return this.#last === undefined ? "" : `; --after ${placeText(this.#last)} goes on from there`
  }

  hear(text: string, send: (message: object) => Effect.Effect<void>): Effect.Effect<void, FeedFailed> {
    const message = readServiceMessage(text)
    switch (message._tag) {
      case "authorized":
        return send(this.#request)
      case "reply":
        return message.error === undefined ? Effect.void : Effect.fail(new FeedFailed({ message: failureText(message.error) }))
      case "run":
        return this.#ran(message.run, message.raw)
      case "unknown":
        return Option.match(decodeNotice(text), { onNone: () => Effect.void, onSome: (notice) => this.#noticed(notice) })
    }
  }

  #ran(run: FeedRun, raw: object): Effect.Effect<void> {
    if (this.isOver) return Effect.void
    this.seen += 1
    this.isOver = this.seen >= this.#shown.most
    if (run.epoch !== undefined) this.#last = { epoch: run.epoch, seq: run.seq }
    return Effect.flatMap(Clock.currentTimeMillis, (nowMs) => printLines([this.#shown.line(run, raw, nowMs)]))
  }

  #noticed(notice: typeof FeedGapNotification.Type | typeof FeedEndedNotification.Type): Effect.Effect<void> {
    if (notice.method === "feed.ended") this.isOver = true
    if (this.#shown.json) return printLines([JSON.stringify(notice.params)])
    return printLines([notice.method === "feed.ended" ? "the feed was removed" : gapLine(notice.params)])
  }
}

/** Prints results until the count is reached, the feed is removed or the connection ends; then it says how to go on. */
export const followFeed = (settings: FollowSettings) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { feedId, json, url } = settings
      const most = Option.getOrElse(settings.count, () => Number.POSITIVE_INFINITY)
      if (most < 1) return yield* refusedValue("--count", "1 or more", `${most}`)
      const after = Option.isNone(settings.after) ? undefined : yield* placeOf(settings.after.value)
      const feed = yield* readFeed(settings, feedId)
      const mode: FeedMode = feedModes.find((one) => one === feed.mode) ?? "FIXED"
      const view = feedView([mode], { json, coloured: isColoured(process.stdout) })
      const socket = yield* openFeedSocket(webSocketAddress(url), yield* keyOf(settings))
      const params = { feedId, ...(after === undefined ? {} : { after }) }
      const following = new Following({ jsonrpc: "2.0", id: "follow", method: "feed.follow", params }, after, {
        json,
        most,
        line: (run, raw, receivedAtMs) => view.line({ mode, run, raw, receivedAtMs })
      })
      if (!json) yield* printLines(view.head)
      const listening = Effect.gen(function* () {
        while (!following.isOver) {
          const event = yield* socket.next
          if (event._tag === "closed") return yield* new FeedFailed({ message: `${closedText(event)}${following.resumption}` })
          yield* following.hear(event.text, socket.send)
        }
      })
      yield* Effect.raceFirst(listening, readerGone)
    })
  )
