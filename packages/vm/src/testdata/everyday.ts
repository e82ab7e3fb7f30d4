/** How much of a test runs on every change: all on Node, a third on Bun, where an instance takes twenty times as long; all in a soak. */

const isShort = typeof globalThis.Bun !== "undefined" && (process.env["SIBYL_SOAK"] ?? "") === ""

/** The number of generated cases. */
export const everyday = (count: number): number => (isShort ? Math.ceil(count / 3) : count)

/** Each case, or every third. */
export const everydayCases = <Case>(cases: ReadonlyArray<Case>): ReadonlyArray<Case> =>
  isShort ? cases.filter((_, at) => at % 3 === 0) : cases
