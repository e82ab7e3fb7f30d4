/** What a pool is made of, and what it tells beside its replies. */
import type { BreakTaking } from "@sibyl/core/internal"
import type { OpenWorker } from "../workers/openWorker.ts"

/** A worker that is gone: its pass took too long, it needed too much memory, or it ended otherwise. */
export interface LostWorker {
  readonly why: "deadline" | "memory" | "crash"
  /** For the operator. */
  readonly reason: string
}

/** How large the pool is. */
export interface PoolOptions {
  readonly workers: number
  /**
   * Workers beside them, for projects that have none while others' passes go on and on. Each project gets one at most,
   * so long passes of a few projects do not stop the rest; threads share the processors. Default: none.
   */
  readonly spareWorkers?: number
  /** First passes that may wait for a worker; later passes of runs under way always may. */
  readonly queueBound: number
  /** Compiled programs that are kept. */
  readonly cachedPrograms: number
  /** Opens a worker. */
  readonly openWorker: OpenWorker
  /** When reports are looked for beside the event loop, which may be long in coming to them: workers have nothing to do until then. Default: never. */
  readonly breaks?: BreakTaking
  /** Told of each worker that a pass ended, or that ended by itself. */
  readonly onLost?: (lost: LostWorker) => void
}
