/** Short work that is done again and again while the event loop is in a long turn, because the end of the turn would be too late for it. */
import { Context } from "effect"

/** What {@link TurnBreaks} offers. */
export interface BreakTaking {
  /** Has `work` called about once a millisecond during turns; what is answered ends that. */
  readonly each: (work: () => void) => () => void
  /** Called by what makes turns long, between its parts. */
  readonly take: () => void
}

/** Without one provided, nothing is called: whoever has such work also does it when the event loop comes to it. */
export class TurnBreaks extends Context.Reference<TurnBreaks>()("@sibyl/core/TurnBreaks", {
  defaultValue: (): BreakTaking => ({ each: () => () => {}, take: () => {} })
}) {}
