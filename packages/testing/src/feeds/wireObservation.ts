/** What a client can observe of one feed: the frames of its WebSocket, parsed into an observation for the judge. */
import { type FeedLaw, startAfter } from "./feedModel.ts"
import type { FeedObservation, ObservedResult, ObservedRun, RunOutcome } from "./observation.ts"

/** A text frame of the service, and when it arrived, in milliseconds of the client's clock. */
export interface HeardFrame {
  readonly atMs: number
  readonly text: string
}

/** Which feed to observe, and what the client knows of it. */
export interface WireWatch {
  readonly law: FeedLaw
  /** The id of the `feed.start` request, and of the `feed.stop` request if one was sent. */
  readonly startId: string
  readonly stopId?: string
  /** When the connection was closed, or else the end of the observation. */
  readonly untilMs: number
  /** The longest duration of a run. A run without a result counts as in flight for this long, then as lost. */
  readonly maxRunMs: number
}

interface Message {
  readonly atMs: number
  readonly id?: string
  readonly method?: string
  readonly result?: { readonly feedId?: string }
  readonly params?: {
    readonly feedId: string
    readonly seq: number
    readonly scheduledAt: number
    readonly startedAt: number
    readonly error?: { readonly _tag?: string }
  }
}

const readFrame = ({ atMs, text }: HeardFrame): Message => ({ ...JSON.parse(text), atMs })

const outcomeOf = (error: { readonly _tag?: string } | undefined): RunOutcome => {
  if (error === undefined) return "ok"
  return error._tag === "FeedOverlapLimit" ? "refused" : "failed"
}

const resultsOf = (messages: ReadonlyArray<Message>, feedId: string): ReadonlyArray<ObservedResult> =>
  messages.flatMap(({ atMs, method, params }) => {
    if (method !== "feed.result" || params?.feedId !== feedId) return []
    const { error, scheduledAt: scheduledAtMs, seq, startedAt: startedAtMs } = params
    return [{ atMs, run: undefined, outcome: outcomeOf(error), seq, scheduledAtMs, startedAtMs }]
  })

/** When run 0 started by the server's clock. For a PARALLEL feed any run shows it, and run 0 may be the last to end. */
const serverOriginMs = (told: ReadonlyMap<number, ObservedResult>, { mode, periodMs }: FeedLaw): number | undefined => {
  const zero = told.get(0)
  if (zero !== undefined) return zero.startedAtMs
  const [any] = mode === "PARALLEL" ? told.values() : []
  return any === undefined ? undefined : any.scheduledAtMs - any.seq * periodMs
}

/**
 * The runs behind the results. The two clocks need not agree: starts are relative to that of run 0, which is taken as the time of the
 * reply. A run ended when its result arrived, and a refused one when it would have started. Runs without a result, between the others or
 * after them, count as in flight from their scheduled start for as long as they may be.
 */
const runsOf = (results: ReadonlyArray<ObservedResult>, askedMs: number, { law, maxRunMs, untilMs }: WireWatch) => {
  const told = new Map(results.toReversed().map((result) => [result.seq, result]))
  const last = [...told.keys()].reduce((one, other) => Math.max(one, other), -1)
  const originMs = serverOriginMs(told, law)
  const runs: Array<ObservedRun> = []
  for (;;) {
    const before = runs.at(-1)
    const index = runs.length
    const result = told.get(index)
    if (result !== undefined && originMs !== undefined) {
      const startMs = askedMs + result.startedAtMs - originMs
      runs.push({ startMs, endMs: result.outcome === "refused" ? startMs : result.atMs, outcome: result.outcome })
      continue
    }
    const { startMs = askedMs, endMs = startMs } = before ?? {}
    const dueMs = before === undefined ? askedMs : startAfter(law, askedMs, index - 1, { startMs, endMs })
    const isInFlight = dueMs <= untilMs && dueMs + maxRunMs > untilMs
    const waitsForIt = law.mode !== "PARALLEL" && before?.endMs === undefined && before !== undefined
    if (index > last && (!isInFlight || waitsForIt)) return runs
    runs.push({ startMs: dueMs, endMs: isInFlight ? undefined : dueMs + maxRunMs, outcome: "ok" })
  }
}

/** Parses everything that was received on one connection; undefined if the feed was never granted. */
export const observeWire = (frames: ReadonlyArray<HeardFrame>, watch: WireWatch): FeedObservation | undefined => {
  const messages = frames.map(readFrame)
  const granted = messages.find(({ id, result }) => id === watch.startId && result?.feedId !== undefined)
  const feedId = granted?.result?.feedId
  if (granted === undefined || feedId === undefined) return undefined
  const { stopId } = watch
  const stopAt = messages.findIndex(({ id, result }) => stopId !== undefined && id === stopId && result !== undefined)
  const stop = messages[stopAt]
  const results = resultsOf(messages, feedId)
  const untilMs = Math.min(watch.untilMs, stop?.atMs ?? watch.untilMs)
  return {
    askedMs: granted.atMs,
    runs: runsOf(results, granted.atMs, { ...watch, untilMs }),
    results,
    stopped: stop === undefined ? undefined : { atMs: stop.atMs, afterResults: resultsOf(messages.slice(0, stopAt), feedId).length },
    watchedUntilMs: watch.untilMs
  }
}
