/** Why a call to the outside world is refused before it is read: their bytes and number are limited. */
import type { Limits } from "@sibyl/core"
import type { Replay } from "./replay.ts"

/** The limits of calls to the outside world. */
export type CallLimits = Pick<Limits, "httpActionBytes" | "storageActionBytes" | "hostCalls" | "hostCallBytes">

/**
 * The text of the rejected promise for an action of `length` bytes; undefined if the action may be read. It depends only on the limits and
 * the tape, so a replay refuses the same calls.
 */
export const callRefusal = (
  { limits, replay }: { readonly limits: CallLimits; readonly replay: Replay },
  length: number,
  maxActionBytes: number
): string | undefined => {
  if (length > maxActionBytes) return `the action is larger than ${maxActionBytes} bytes`
  if (replay.answeredCalls >= limits.hostCalls) return `one phase asks for at most ${limits.hostCalls} answers`
  return replay.answeredBytes + length > limits.hostCallBytes
    ? `the actions of one phase and their answers have at most ${limits.hostCallBytes} bytes`
    : undefined
}
