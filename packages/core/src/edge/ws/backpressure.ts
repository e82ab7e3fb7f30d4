/** Whether a client reads fast enough: how much output waits for it, and for how long (decision D41). */
import type { Limits } from "../../domain/settings/limits.ts"

/** When the waiting output exceeded the soft limit; undefined while it does not. */
export type Backpressure = number | undefined

/** The new state, or why the connection must be closed. */
export type BackpressureStep = { readonly backpressure: Backpressure } | { readonly tooSlow: string }

/** Judges the bytes that wait for a client at `nowMs`. */
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
