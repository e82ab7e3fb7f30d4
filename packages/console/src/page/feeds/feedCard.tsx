/** One feed: what it is, its strip, its figures, and what went wrong. */
import { useMemo } from "preact/hooks"
import type { RunningFeed } from "./runningFeeds.ts"
import { stripOf } from "./strip.ts"
import { StripView } from "./stripView.tsx"
import { strokes } from "../charts/chartView.tsx"

const inWords = {
  reconnected: "the connection was lost",
  missed: "messages were left out",
  notKept: "no longer kept",
  newEpoch: "the schedule began anew",
  slow: "this page was too slow"
} as const

const count = (amount: number, one: string, many: string): string => `${amount.toLocaleString("en-US")} ${amount === 1 ? one : many}`

interface Parts {
  readonly feed: RunningFeed
  readonly index: number
  /** Is kept from the last drawing: only `feed` and `index` may change what it does. */
  readonly onRemove: (card: Element | null) => void
}

const cardOf = ({ feed, index, onRemove }: Parts) => {
  const { asked, id, stop, track } = feed
  // With its number: two feeds may be alike but for their keys or inputs.
  const title = `${id}: ${asked.name}, ${asked.mode}, every ${asked.periodMs.toLocaleString("en-US")} ms`
  const gap = track.gaps.at(-1)
  const failure = track.runs.findLast(({ failure }) => failure !== undefined)?.failure
  const last = track.runs.at(-1)
  return (
    <section class="feed" aria-label={title}>
      <header>
        <h2 tabIndex={-1}>
          <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
            <circle cx="5" cy="5" r="5" fill={strokes[index % strokes.length]} />
          </svg>
          {title}
        </h2>
        {track.end === undefined ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" onClick={({ currentTarget }) => onRemove(currentTarget.closest("section"))}>
            Remove
          </button>
        )}
      </header>
      <StripView label={`Scheduled and actual starts of ${title}`} strip={stripOf(track, asked.periodMs)} />
      <p class="figures">
        {count(track.succeeded, "result", "results")}, {count(track.failed, "failure", "failures")},{" "}
        {count(track.gaps.length, "gap", "gaps")}, {count(track.creditsUsed, "credit", "credits")} used
        {last?.creditsRemaining === undefined ? "" : `, ${last.creditsRemaining.toLocaleString("en-US")} remaining`}
      </p>
      {gap === undefined ? null : (
        <p class="soft">
          Last gap: {inWords[gap.why]}, {gap.missed === undefined ? "not known how many results" : count(gap.missed, "result", "results")}{" "}
          missing.
        </p>
      )}
      {failure === undefined ? null : <p class="bad">Last failure: {failure}</p>}
      {/* Always a line, so that a feed that ends does not move the buttons of those below it. */}
      <p class={track.end === undefined || track.end === "stopped" ? "soft" : "bad"}>
        {track.end === undefined ? "Running." : `Ended: ${track.end}`}
      </p>
    </section>
  )
}

/** The card of a feed; it is drawn anew only where its feed has changed, as one of many may at any moment. A changed feed is another object. */
export const FeedCard = (parts: Parts) => useMemo(() => cardOf(parts), [parts.feed, parts.index])
