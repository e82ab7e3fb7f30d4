/** The feeds view: a form that starts feeds, a chart over all of them, and a card for each. */
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

const Chart = ({ feeds }: { readonly feeds: ReadonlyArray<RunningFeed> }) => {
  const runs = feeds.map(({ track }) => track.runs)
  const labels = feeds.map(({ id }) => String(id))
  return <ChosenChart id="charted" choices={choicesOf(feeds)} labels={labels} dataOf={(choice) => chartData(runs, chartedBy(choice))} />
}

/** Form, chart and cards. */
export const FeedsView = ({ visitor }: { readonly visitor: Visitor }) => {
  const { connection, feeds, remove, start } = useFeeds()
  return (
    <div class="view">
      <FeedForm visitor={visitor} onStart={start} />
      <div>
        <p class={connection === "lost" ? "bad" : "soft"} role="status">
          {feeds.length === 0
            ? "Feeds are shown here."
            : { open: "Connected.", lost: "Connection lost, trying again.", closed: "Not connected." }[connection]}
        </p>
        {feeds.length === 0 ? null : <Chart feeds={feeds} />}
        {feeds.map((feed, index) => (
          <FeedCard key={feed.id} feed={feed} index={index} onRemove={() => remove(feed.id)} />
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
