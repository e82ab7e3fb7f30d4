/** The curves of a chart over several feeds: plain functions. */
import type { ChartData } from "../charts/chartView.tsx"
import type { TrackedRun } from "./feedTrack.ts"

/** What a chart shows: a number of the results, or what the project has left. */
export type Charted = { readonly kind: "number"; readonly place: string } | { readonly kind: "credits" }

const valueOf = (run: TrackedRun, charted: Charted): number | undefined =>
  charted.kind === "credits" ? run.creditsRemaining : run.numbers.get(charted.place)

/** One curve for each list of runs. */
export const chartData = (feeds: ReadonlyArray<ReadonlyArray<TrackedRun>>, charted: Charted): ChartData => {
  const points = feeds.map((runs) => new Map(runs.map((run) => [run.startedAtMs, valueOf(run, charted)])))
  const times = [...new Set(points.flatMap((each) => [...each.keys()]))].toSorted((one, other) => one - other)
  return [times.map((ms) => ms / 1_000), ...points.map((each) => times.map((ms) => each.get(ms) ?? null))]
}
