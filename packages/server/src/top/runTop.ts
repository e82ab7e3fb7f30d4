/** What `sibyl top` does: looks at a server's metrics again and again, and draws what has happened in between. */
import { Clock, Effect, Either } from "effect"
import { show as showAnswer } from "../output/answer.ts"
import { readerGone } from "../output/lines.ts"
import type { CommandFailed } from "../output/failure.ts"
import { paintFor } from "../output/paint.ts"
import { gauge } from "./changes.ts"
import type { Scrape } from "./exposition.ts"
import { names } from "./metricNames.ts"
import { type MetricsPlace, scrapeMetrics } from "./scrapeMetrics.ts"
import { openScreen } from "./screen.ts"
import { topLines } from "./topLines.ts"
import { type TopView, topView } from "./topView.ts"

/** What is looked at, how often, and how it is shown. */
export interface TopOptions extends MetricsPlace {
  readonly intervalMs: number
  /** One view, then the end. */
  readonly once: boolean
  /** One view as a document, then the end. */
  readonly json: boolean
}

interface Look {
  readonly scrape: Scrape
  readonly atMs: number
}

const look = (place: MetricsPlace): Effect.Effect<Look, CommandFailed> =>
  Effect.all({ scrape: scrapeMetrics(place), atMs: Clock.currentTimeMillis })

const viewBetween = (before: Look, after: Look): TopView =>
  topView({ before: before.scrape, after: after.scrape, seconds: Math.max(1, after.atMs - before.atMs) / 1_000 }, after.atMs)

/** Before there is a second look: everything since the server's start. */
const viewSinceStart = ({ atMs, scrape }: Look): TopView => {
  const startSeconds = gauge(scrape, names.startTime) ?? atMs / 1_000 - 1
  return topView({ before: { samples: [] }, after: scrape, seconds: Math.max(1, atMs / 1_000 - startSeconds) }, atMs)
}

const once = (options: TopOptions) =>
  Effect.gen(function* () {
    const before = yield* look(options)
    yield* Effect.sleep(options.intervalMs)
    const view = viewBetween(before, yield* look(options))
    yield* showAnswer({ document: view, lines: (paint) => topLines(view, options.url, paint) }, options.json)
  })

/** On a terminal a screen of its own; elsewhere one block after the other. */
const openOutput = Effect.suspend(() =>
  process.stdout.isTTY
    ? openScreen(process.stdout)
    : Effect.succeed((lines: ReadonlyArray<string>) => void process.stdout.write(`${lines.join("\n")}\n\n`))
)

const live = (options: TopOptions) =>
  Effect.gen(function* () {
    const paint = paintFor(process.stdout)
    let latest = yield* look(options)
    const draw = yield* openOutput
    let view = viewSinceStart(latest)
    let trouble: string | undefined
    for (;;) {
      draw(topLines(view, options.url, paint, trouble))
      yield* Effect.sleep(options.intervalMs)
      const next = yield* Effect.either(look(options))
      // A server that restarts comes back: what was seen last stays until then.
      trouble = Either.isLeft(next) ? next.left.message : undefined
      if (Either.isRight(next)) {
        view = viewBetween(latest, next.right)
        latest = next.right
      }
    }
  }).pipe(Effect.scoped)

/** Looks until it is interrupted or nobody reads what it writes, or once. */
export const top = (options: TopOptions): Effect.Effect<void, CommandFailed> =>
  options.once || options.json ? once(options) : Effect.raceFirst(live(options), readerGone)
