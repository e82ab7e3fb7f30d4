/** A pass whose worker is lost, and the job with which another worker runs it again. */
import type { WorkerLoss } from "../tape/tape.ts"
import type { PassJob } from "./passJob.ts"

/** How a pass ended with its worker. */
export interface LostPass {
  readonly loss: WorkerLoss
  readonly elapsedMs: number
  /** How long after its beginning the tally phase began; undefined if it had not. */
  readonly tallyAfterMs: number | undefined
}

/** The job once more, with the time that is left; undefined if there is none. It has begun, so nothing refuses it any more. */
export const jobAgain = (job: PassJob, { elapsedMs, tallyAfterMs }: Omit<LostPass, "loss">): PassJob | undefined => {
  const budgetMs = job.budgetMs - (tallyAfterMs ?? elapsedMs)
  const { maxWaitMs: _, onStart: __, abandoned: ___, ...rest } = job
  return budgetMs <= 0 ? undefined : { ...rest, budgetMs, first: false }
}
