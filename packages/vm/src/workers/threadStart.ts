/** What a worker is given when it starts. */
import type { MessagePort } from "node:worker_threads"
import type { SigningThread } from "../orders/resultSigner.ts"

/** The data of a new worker. */
export interface ThreadStart {
  /** Where its orders come from, and its reports go to. */
  readonly port: MessagePort
  /** How many programs it keeps; the pool tracks them and never names one that was dropped. */
  readonly keptPrograms: number
  /** Where it notes which phase of its order it is in. */
  readonly progress: SharedArrayBuffer
  /** Set if it signs results, with the memory of {@link Uninterrupted}: it may sign with native code. */
  readonly signing: (SigningThread & { readonly uninterrupted: SharedArrayBuffer }) | undefined
}
