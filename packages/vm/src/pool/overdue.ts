/** Whether the present phase of an order has reached its deadline: each phase has a wall clock of its own. */
import type { PassJob } from "./passJob.ts"

/** A phase that is overdue, with the time it took; or how long the present one has left. All in ms. */
export type Overdue =
  | { readonly kind: "deadline" | "tallyDeadline"; readonly elapsedMs: number }
  | { readonly kind: "inTime"; readonly leftMs: number }

/** Timers may fire early by a fraction of a millisecond. */
const earlyMs = 1

const judged = (kind: "deadline" | "tallyDeadline", elapsedMs: number, budgetMs: number): Overdue =>
  elapsedMs + earlyMs >= budgetMs ? { kind, elapsedMs } : { kind: "inTime", leftMs: budgetMs - elapsedMs }

/** Of an order that has been running for `elapsedMs` and began its tally phase after `tallyAfterMs`, if it has. */
export const overdue = (
  { budgetMs, tally }: Pick<PassJob, "budgetMs" | "tally">,
  elapsedMs: number,
  tallyAfterMs: number | undefined
): Overdue =>
  tally === undefined || tallyAfterMs === undefined
    ? judged("deadline", elapsedMs, budgetMs)
    : judged("tallyDeadline", Math.max(0, elapsedMs - tallyAfterMs), tally.budgetMs)
