/** What a worker is given when it starts. */

/** The data of a new worker. */
export interface WorkerStart {
  /** How many programs it keeps; the pool tracks them and never names one that was dropped. */
  readonly keptPrograms: number
  /** Where it notes which phase of its order it is in. */
  readonly progress: SharedArrayBuffer
}
