/** Why a call to the outside world is refused before it is read: their bytes and number are limited. */
import type { Limits } from "@sibyl/core"
import type { Replay } from "./replay.ts"

/** The limits of calls to the outside world. */
export type CallLimits = Pick<Limits, "httpActionBytes" | "storageActionBytes" | "hostCalls" | "hostCallBytes">

/** A call that is refused: the limit, and the text of the rejected promise. */
interface CallRefusal {
  readonly limit: keyof CallLimits
  readonly text: string
}

/** What decides about a call. */
interface RefusingState {
  readonly limits: CallLimits
  readonly replay: Replay
  /** The limits that calls of this pass have reached. */
  readonly refusedCalls: Set<keyof CallLimits>
}

const refusalOf = (
  { limits, replay }: RefusingState,
  length: number,
  actionLimit: "httpActionBytes" | "storageActionBytes"
): CallRefusal | undefined => {
  const { hostCallBytes, hostCalls } = limits
  if (length > limits[actionLimit]) return { limit: actionLimit, text: `the action is larger than ${limits[actionLimit]} bytes` }
  if (replay.answeredCalls >= hostCalls) return { limit: "hostCalls", text: `one phase asks for at most ${hostCalls} answers` }
  return replay.answeredBytes + length > hostCallBytes
    ? { limit: "hostCallBytes", text: `the actions of one phase and their answers have at most ${hostCallBytes} bytes` }
    : undefined
}

/**
 * The text of the rejected promise for an action of `length` bytes, whose limit is noted; undefined if the action may be read. It depends
 * only on the limits and the tape, so a replay refuses the same calls.
 */
export const callRefusal = (
  state: RefusingState,
  length: number,
  actionLimit: "httpActionBytes" | "storageActionBytes"
): string | undefined => {
  const refusal = refusalOf(state, length, actionLimit)
  if (refusal === undefined) return undefined
  state.refusedCalls.add(refusal.limit)
  return refusal.text
}
