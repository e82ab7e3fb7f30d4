/** Operators of proposals that are not supported. */
import { refuse } from "./refusal.ts"

/** The proposal that an unsupported code belongs to; undefined if there is none. */
const proposalOf = (code: number): string | undefined => {
  if ((code >= 0x06 && code <= 0x0a) || code === 0x18 || code === 0x19 || code === 0x1f) return "exception handling"
  if (code === 0x12 || code === 0x13) return "tail calls"
  if (code === 0x14 || code === 0x15 || (code >= 0xd3 && code <= 0xd6)) return "typed function references"
  if (code === 0xfb) return "garbage collection"
  if (code === 0xfd) return "SIMD"
  if (code === 0xfe) return "threads"
  return undefined
}

/** Refuses an operator of a proposal by its name; `at` is the operator's byte. */
export const refuseProposals = (code: number, at: number): void => {
  const proposal = proposalOf(code)
  if (proposal !== undefined) refuse("feature", `${proposal} is not supported`, at)
}
