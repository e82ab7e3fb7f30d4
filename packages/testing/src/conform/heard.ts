/** What an audit sent and received, for its report: bounded, without keys. */
import type { Hide } from "./hidden.ts"

const mostEntries = 60
const longestEntry = 1_500

/** What was heard so far. */
export interface Heard {
  readonly trace: (heard: string) => void
  /** In order; `>` sent, `<` received. */
  readonly lines: ReadonlyArray<string>
}

/** Hears one audit. */
export const makeHeard = (hide: Hide): Heard => {
  const lines: Array<string> = []
  return {
    lines,
    trace: (heard) => {
      if (lines.length >= mostEntries) return
      const shown = hide(heard)
      const cut = shown.length > longestEntry ? `${shown.slice(0, longestEntry)}… (${shown.length} characters)` : shown
      lines.push(lines.length === mostEntries - 1 ? "(what came after this is left out)" : cut)
    }
  }
}
