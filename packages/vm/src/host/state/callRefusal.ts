/** Why a call to the outside world is refused before it is read: a program may ask for so much and no more. */
import type { Limits } from "@sibyl/core"
import type { Replay } from "./replay.ts"

/** The limits of calls to the outside world. */
export type CallLimits = Pick<Limits, "httpActionBytes" | "storageActionBytes" | "hostCalls" | "hostCallBytes">

/**
 * The text of the rejected promise that answers an action of `length` bytes, undefined when it may be read. It follows
 * from the limits and the tape alone, so a replay refuses the same calls.
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
