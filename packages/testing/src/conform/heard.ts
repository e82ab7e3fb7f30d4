/** What an audit sent and received, for its report: bounded, without keys. */

const mostEntries = 60
const longestEntry = 1_500

/** What was heard so far. */
export interface Heard {
  readonly trace: (heard: string) => void
  /** In order; `>` sent, `<` received. */
  readonly lines: ReadonlyArray<string>
}

const withoutKeys = (text: string, keys: ReadonlyArray<string>): string =>
  keys
    .reduce((shown, key) => shown.replaceAll(key, "KEY"), text)
    // Keys that an operator makes during an audit are not in the list.
    .replaceAll(/("?authorization"?:\s*"?bearer\s+)[^"\s]+/gi, "$1KEY")
    // A ticket lets its bearer in, if only for minutes.
    .replaceAll(/("ticket":\s*")[^"]+/g, "$1TICKET")

/** Hears one audit. `keys`: hidden wherever they occur. */
export const makeHeard = (keys: ReadonlyArray<string>): Heard => {
  const lines: Array<string> = []
  return {
    lines,
    trace: (heard) => {
      if (lines.length >= mostEntries) return
      const shown = withoutKeys(heard, keys)
      const cut = shown.length > longestEntry ? `${shown.slice(0, longestEntry)}… (${shown.length} characters)` : shown
      lines.push(lines.length === mostEntries - 1 ? "(what came after this is left out)" : cut)
    }
  }
}
