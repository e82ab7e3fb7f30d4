/** How often a test repeats itself: a few times on every change, and many times in a soak that `SIBYL_SOAK` requests. */

/** Counts of one test. */
export interface SoakCounts {
  /** The count on every change: enough to find the faults that the test is known to find. */
  readonly everyday: number
  /** The count in a soak. */
  readonly full: number
}

/**
 * How many cases, kills or rounds a test performs: `everyday` without `SIBYL_SOAK`, `full` with `SIBYL_SOAK=full`, and with a number N that
 * many times `full`, rounded up. Any other setting throws a `RangeError`, so that no soak is shorter than requested.
 */
export const soakCount = ({ everyday, full }: SoakCounts, setting = process.env["SIBYL_SOAK"]): number => {
  if (setting === undefined || setting === "") return everyday
  const times = setting === "full" ? 1 : Number(setting)
  if (!(times > 0 && Number.isFinite(times))) throw new RangeError(`SIBYL_SOAK is "full" or a number above 0, not ${setting}`)
  return Math.ceil(full * times)
}
