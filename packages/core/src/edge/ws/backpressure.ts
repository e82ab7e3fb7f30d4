/** Whether a client reads fast enough: how long output has waited for it, and how much (decision D41). */
import type { Limits } from "../../domain/settings/limits.ts"

/** Since when more than the soft limit has been waiting; undefined while less is. */
export type Backpressure = number | undefined

/** The new state, or why the connection has to be closed. */
export type BackpressureStep = { readonly backpressure: Backpressure } | { readonly tooSlow: string }

/** Looks at the bytes that wait for a client at `nowMs`. */
export const backpressureStep = (
  backpressure: Backpressure,
  waitingBytes: number,
  nowMs: number,
  limits: Pick<Limits, "outputSoftBytes" | "outputSoftMs" | "outputHardBytes">
): BackpressureStep => {
  if (waitingBytes > limits.outputHardBytes) return { tooSlow: `more than ${limits.outputHardBytes} bytes are waiting` }
  if (waitingBytes <= limits.outputSoftBytes) return { backpressure: undefined }
  const since = backpressure ?? nowMs
  return nowMs - since >= limits.outputSoftMs
    ? { tooSlow: `more than ${limits.outputSoftBytes} bytes have been waiting for ${limits.outputSoftMs} ms` }
    : { backpressure: since }
}
