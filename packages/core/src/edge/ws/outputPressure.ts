/** Whether a client reads fast enough: how long output has waited for it, and how much (decision D41). */
import type { Limits } from "../../domain/settings/limits.ts"

/** Since when more than the soft limit has been waiting; undefined while less is. */
export type Pressure = number | undefined

/** The new pressure, or why the connection has to be closed. */
export type PressureStep = { readonly pressure: Pressure } | { readonly tooSlow: string }

/** Looks at the bytes that wait for a client at `nowMs`. */
export const pressureStep = (
  pressure: Pressure,
  waitingBytes: number,
  nowMs: number,
  limits: Pick<Limits, "outputSoftBytes" | "outputSoftMs" | "outputHardBytes">
): PressureStep => {
  if (waitingBytes > limits.outputHardBytes) return { tooSlow: `more than ${limits.outputHardBytes} bytes are waiting` }
  if (waitingBytes <= limits.outputSoftBytes) return { pressure: undefined }
  const since = pressure ?? nowMs
  return nowMs - since >= limits.outputSoftMs
    ? { tooSlow: `more than ${limits.outputSoftBytes} bytes have been waiting for ${limits.outputSoftMs} ms` }
    : { pressure: since }
}
