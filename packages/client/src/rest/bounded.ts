/** Work that ends in time, or when the caller's signal says so, whether it listens or not. */
import { NotReached } from "../errors/clientError.ts"
import type { Platform } from "../ground/platform.ts"

/** How long, and with which signal. */
export interface Bound {
  readonly platform: Platform
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** What did not happen in time, and whether what is asked for may be done nevertheless. */
  readonly late: () => { readonly what: string; readonly mayBeDone: boolean }
}

/** What the work resolves to. Rejects as the work does, with the signal's reason, or with {@link NotReached} when the time is over. */
export const bounded = <A>({ late, platform, signal, timeoutMs }: Bound, work: (signal: AbortSignal) => Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const ended = new AbortController()
    const stop = (): void => {
      cancel()
      signal?.removeEventListener("abort", aborted)
    }
    const end = (why: Error): void => {
      stop()
      reject(why)
      // What goes on regardless finds this out before it sends anything.
      ended.abort(why)
    }
    const aborted = (): void => end(signal?.reason as Error)
    const cancel = platform.after(timeoutMs, () => {
      const { mayBeDone, what } = late()
      end(new NotReached(`${what} within ${timeoutMs} ms`, undefined, mayBeDone))
    })
    signal?.addEventListener("abort", aborted)
    void work(ended.signal).then(resolve, reject).finally(stop)
  })
