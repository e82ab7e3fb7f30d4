/** For tests: a model of a service's feeds. It knows every run that it has sent, to anybody. */
import type { FeedRun } from "../contract/messages.ts"
import type { FeedPlace } from "../contract/requests.ts"
import type { Accept } from "./modelNetwork.ts"
import type { VirtualTime } from "./virtualTime.ts"

/** A run that was put on the wire, or stands in the log of the durable feed. */
export interface SentRun {
  readonly feedId: string
  readonly epoch: number | undefined
  readonly seq: number
}

/** The id of the durable feed. */
export const durableFeedId = "00000000-0000-4000-8000-00000000000d"

/** How many runs of the durable feed are kept. */
const keptRuns = 12

interface Open {
  readonly send: (message: object) => void
  readonly stops: Map<string, () => void>
}

const resultOf = (feedId: string, seq: number, epoch: number | undefined): object => ({
  _tag: "ExecuteResponse",
  data: { result: `${feedId}/${epoch ?? ""}/${seq}` }
})

/** The service. Its feeds run every second. */
export class ModelService {
  readonly #time: VirtualTime
  readonly #connections = new Set<Open>()
  /** Runs that were sent over connections, of feeds that live with them. */
  readonly sent: Array<SentRun> = []
  /** The log of the durable feed, as far as it is kept, and everything that ever stood in it. */
  #log: Array<SentRun & FeedPlace> = []
  readonly logged: Array<SentRun & FeedPlace> = []
  #next: FeedPlace = { epoch: 1, seq: 0 }
  #feeds = 0
  readonly #followers = new Set<() => void>()

  constructor(time: VirtualTime) {
    this.#time = time
    this.#tick()
  }

  /** The schedule of the durable feed begins anew. */
  beginEpoch(): void {
    this.#next = { epoch: this.#next.epoch + 1, seq: 0 }
  }

  /** The durable feed forgets all but the newest runs. */
  sweep(kept: number): void {
    this.#log = this.#log.slice(Math.max(0, this.#log.length - kept))
  }

  /** The durable feed is removed. */
  remove(): void {
    const params = { feedId: durableFeedId, why: "removed" }
    for (const { send, stops } of this.#connections) if (stops.has(durableFeedId)) send({ jsonrpc: "2.0", method: "feed.ended", params })
  }

  #tick(): void {
    this.#time.after(1_000, () => {
      const run = { feedId: durableFeedId, ...this.#next }
      this.#next = { epoch: run.epoch, seq: run.seq + 1 }
      this.#log.push(run)
      this.logged.push(run)
      this.sweep(keptRuns)
      for (const tell of [...this.#followers]) tell()
      this.#tick()
    })
  }

  /** Accepts connections. */
  readonly accept: Accept = (send) => {
    const open: Open = { send, stops: new Map() }
    this.#connections.add(open)
    send({ jsonrpc: "2.0", method: "authorized", params: {} })
    return {
      onRequest: ({ id, method, params }) => this.#answer(open, id, method, params),
      onClosed: () => {
        for (const stop of open.stops.values()) stop()
        this.#connections.delete(open)
      }
    }
  }

  #answer(
    open: Open,
    id: string,
    method: string,
    params: { readonly feedId: string; readonly after?: FeedPlace; readonly mode: string }
  ): void {
    const { feedId } = params
    if (method === "feed.start") return this.#start(open, id, params.mode === "PARALLEL")
    if (method === "feed.follow") return this.#follow(open, id, params.after)
    const stop = open.stops.get(feedId)
    open.stops.delete(feedId)
    stop?.()
    open.send(
      stop === undefined
        ? { jsonrpc: "2.0", id, error: { _tag: "FeedNotFound", code: 32001, error: "none" } }
        : { jsonrpc: "2.0", id, result: { feedId } }
    )
  }

  /** Of a PARALLEL feed each third run takes two periods longer. */
  #start(open: Open, id: string, overlaps: boolean): void {
    const feedId = `feed-${(this.#feeds += 1)}`
    let isRunning = true
    let seq = 0
    open.stops.set(feedId, () => (isRunning = false))
    open.send({ jsonrpc: "2.0", id, result: { feedId } })
    const deliver = (own: number): void => {
      if (!isRunning) return
      this.sent.push({ feedId, epoch: undefined, seq: own })
      open.send({ jsonrpc: "2.0", method: "feed.result", params: this.#runOf(feedId, own, undefined) })
    }
    const tick = (): void => {
      if (!isRunning) return
      const own = seq
      seq += 1
      this.#time.after(overlaps && own % 3 === 0 ? 2_100 : 100, () => deliver(own))
      this.#time.after(1_000, tick)
    }
    tick()
  }

  #runOf(feedId: string, seq: number, epoch: number | undefined): FeedRun {
    const result = resultOf(feedId, seq, epoch) as NonNullable<FeedRun["result"]>
    return {
      feedId,
      ...(epoch === undefined ? {} : { epoch, tick: seq }),
      seq,
      scheduledAt: this.#time.nowMs,
      startedAt: this.#time.nowMs,
      result
    }
  }

  /** As the service does: in order, from the log, with a gap for what is not kept. */
  #follow(open: Open, id: string, after: FeedPlace | undefined): void {
    open.send({ jsonrpc: "2.0", id, result: { feedId: durableFeedId } })
    // A connection follows a feed once.
    if (open.stops.has(durableFeedId)) return
    const last = this.#log.at(-1)
    let before: FeedPlace | undefined = after ?? last
    const tell = (): void => {
      for (const run of this.#log) {
        if (before !== undefined && (run.epoch < before.epoch || (run.epoch === before.epoch && run.seq <= before.seq))) continue
        if (before !== undefined && !(run.epoch === before.epoch && run.seq === before.seq + 1)) {
          const why = run.epoch === before.epoch ? "notKept" : "newEpoch"
          const from = { epoch: before.epoch, seq: before.seq + 1 }
          open.send({
            jsonrpc: "2.0",
            method: "feed.gap",
            params: { feedId: durableFeedId, from, to: { epoch: run.epoch, seq: run.seq }, why }
          })
        }
        open.send({ jsonrpc: "2.0", method: "feed.result", params: this.#runOf(durableFeedId, run.seq, run.epoch) })
        before = run
      }
    }
    this.#followers.add(tell)
    open.stops.set(durableFeedId, () => this.#followers.delete(tell))
    tell()
  }
}
