/** How large a pool of workers is, and what its workers are. */

/** The workers of a runtime. Everything has a default. */
export interface PoolSettings {
  /** Workers that run programs. Default: one for each processor. */
  readonly workers?: number
  /**
   * Workers beside them that start when all are stuck in long passes, for projects that have none; each project
   * gets one at most. Default: as many as there are workers, at least two.
   */
  readonly spareWorkers?: number
  /** Runs that may wait for their first pass; one more is `Overloaded`. Default 10,000. */
  readonly queueBound?: number
  /** Compiled programs kept in memory. Default 128. */
  readonly cachedPrograms?: number
  /**
   * What workers are: threads of this process; or processes without its environment, files and secrets, which are ended alone when a
   * program takes too much memory or breaks the engine. Default `thread`.
   */
  readonly isolation?: "thread" | "process"
  /** Resident memory beyond which a worker process is ended, in MiB. Default {@link defaultWorkerMemoryMib}. */
  readonly workerMemoryMib?: number
}

/** Ten times what a worker needs for usual programs. */
export const defaultWorkerMemoryMib = 512
