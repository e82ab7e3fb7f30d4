/** The feeds view: a form that starts feeds, a chart over all of them, and a card for each. */
import { useMemo, useRef } from "preact/hooks"
import type { Visitor } from "../visitor/visitor.ts"
import { ChosenChart } from "../charts/chosenChart.tsx"
import { FeedCard } from "./feedCard.tsx"
import { FeedForm } from "./feedForm.tsx"
import { type RunningFeed, useFeeds } from "./runningFeeds.ts"
import { type Charted, chartData } from "./series.ts"

const creditsChoice = "credits remaining"

const chartedBy = (choice: string): Charted => (choice === creditsChoice ? { kind: "credits" } : { kind: "number", place: choice })

const choicesOf = (feeds: ReadonlyArray<RunningFeed>): ReadonlyArray<string> => [
  ...new Set(feeds.flatMap(({ track }) => track.places)),
  creditsChoice
]

/** More curves nobody tells apart, and a value of each at each moment of all would fill the memory. */
const mostCurves = 20

const Chart = ({ feeds }: { readonly feeds: ReadonlyArray<RunningFeed> }) => {
  const charted = feeds.slice(0, mostCurves)
  const runs = charted.map(({ track }) => track.runs)
  const labels = charted.map(({ id }) => String(id))
  return (
    <>
      <ChosenChart id="charted" choices={choicesOf(charted)} labels={labels} dataOf={(choice) => chartData(runs, chartedBy(choice))} />
      {feeds.length === charted.length ? null : (
        <p class="soft">
          The chart has the first {mostCurves} of {feeds.length.toLocaleString("en-US")} feeds; where some are removed, those after them.
        </p>
      )}
    </>
  )
}

/** The title of the card after one, or before it where there is none: where a person goes on who removes this one. */
const besides = (card: Element | null): HTMLElement | null | undefined =>
  [card?.nextElementSibling, card?.previousElementSibling].find((other) => other?.matches("section.feed"))?.querySelector("h2")

/** Form, chart and cards. */
export const FeedsView = ({ visitor }: { readonly visitor: Visitor }) => {
  const { connection, feeds, remove, start } = useFeeds()
  const status = useRef<HTMLParagraphElement>(null)
  const chart = useMemo(() => <Chart feeds={feeds} />, [feeds])
  const removeCard = (id: number, card: Element | null): void => {
    const next = besides(card) ?? status.current
    next?.focus()
    remove(id)
  }
  return (
    <div class="view">
      <FeedForm visitor={visitor} onStart={start} />
      <div>
        <p class={connection === "lost" ? "bad" : "soft"} role="status" tabIndex={-1} ref={status}>
          {feeds.length === 0
            ? "Feeds are shown here."
            : { open: "Connected.", lost: "Connection lost, trying again.", closed: "Not connected." }[connection]}
        </p>
        {feeds.length === 0 ? null : chart}
        {feeds.map((feed, index) => (
          <FeedCard key={feed.id} feed={feed} index={index} onRemove={(card) => removeCard(feed.id, card)} />
        ))}
        {feeds.length === 0 ? null : (
          <p class="soft">
            Ticks: when a run was scheduled. Bars: when it started and how long it took, red if it failed. Shaded: something is missing. A
            page that is closed ends its feeds.
          </p>
        )}
      </div>
    </div>
  )
}
