/** A pass that the pool is asked for, and how it comes back. */
import type { Abandonment } from "@sibyl/core"
import type { WorkerLoss } from "../tape/tape.ts"
import type { PassInput } from "../pass/pass.ts"
import type { OrderedTally, ProgramSource, WorkerReport } from "../orders/messages.ts"
import type { WaitingPass } from "./turns.ts"

/** The tally phase behind an execution phase. */
export interface TallyJob {
  readonly blockHeight: bigint
  /** The `TallyBase` of its request, as JSON. */
  readonly base: string
  readonly gasLimit: bigint
  /** Set if the result is to be signed. */
  readonly sign?: OrderedTally["sign"]
  readonly source: ProgramSource
  /** Wall-clock time that it may take, in ms. */
  readonly budgetMs: number
}

/** One pass to be run. */
export interface PassJob extends WaitingPass {
  readonly source: ProgramSource
  readonly input: PassInput
  /** Wall-clock time that the pass may take, in ms. Waiting for a worker does not count. */
  readonly budgetMs: number
  /** To be run by the same worker if the pass ends the execution phase with exit code 0. */
  readonly tally?: TallyJob
  /** How long it may wait for a worker, in ms; left out: as long as it takes. */
  readonly maxWaitMs?: number
  /** Called when a worker has been given it. */
  readonly onStart?: () => void
  /** Only the turn is wanted: instead of being given to a worker, the pass is `admitted`, and the worker takes the next one. */
  readonly isAdmission?: boolean
  /** Only to be prepared, instead of run: whether the phase could start the program. */
  readonly isCheck?: boolean
  /** Tells when its reply is no longer needed: a queued pass is removed from the queue, a pass on a worker goes on. */
  readonly abandoned?: Abandonment
}

/** How a job ended. `elapsedMs` is the wall-clock time it took from the moment a worker had it. */
export type PassReply =
  | (Pick<WorkerReport & { readonly kind: "passed" }, "kind" | "result" | "tally" | "tallyMs" | "signed"> & { readonly elapsedMs: number })
  /** Of a check: why the phase cannot start the program. */
  | { readonly kind: "checked"; readonly elapsedMs: number; readonly fault: string | undefined }
  | { readonly kind: "deadline"; readonly elapsedMs: number }
  /** It had its turn, and wanted no more. */
  | { readonly kind: "admitted" }
  /** The pass had ended the execution phase with exit code 0; the tally phase behind it reached its deadline after `elapsedMs`. */
  | { readonly kind: "tallyDeadline"; readonly elapsedMs: number }
  /** It ended two worker processes, or is known to. */
  | { readonly kind: "lost"; readonly elapsedMs: number; readonly loss: WorkerLoss }
  /** The pass had ended the execution phase with exit code 0, and the tally phase behind it ended two worker processes; or is known to, and nothing ran. */
  | { readonly kind: "tallyLost"; readonly elapsedMs: number; readonly loss: WorkerLoss }
  /** No worker had it, because too many waited. */
  | { readonly kind: "queueFull" }
  /** No worker had it within the time that it could wait. */
  | { readonly kind: "waitedTooLong" }
  /** No worker had it before it was abandoned. */
  | { readonly kind: "abandoned" }
  | { readonly kind: "defect"; readonly message: string }
