/** The gas of a program's runs as a chart. */
import type { Program } from "@sibyl/client"
import type { ChartData } from "../charts/chartView.tsx"

/** Seconds since the Unix epoch, gas of the execution, gas of the tally; oldest first. */
export const gasData = (runs: Program["lastRuns"]): ChartData => {
  const oldestFirst = runs.toReversed()
  return [
    oldestFirst.map(({ executedAt }) => Date.parse(executedAt) / 1_000),
    oldestFirst.map(({ gasUsed }) => Number(gasUsed.exec)),
    oldestFirst.map(({ gasUsed }) => Number(gasUsed.tally))
  ]
}
