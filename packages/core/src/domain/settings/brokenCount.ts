/** The rule of a setting that is a whole number. */

/** The rule that a value breaks, to be put behind the setting's name; undefined: it is a whole number within these bounds. */
export const brokenCount = (value: unknown, least: number, most: number): string | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= least && value <= most
    ? undefined
    : `must be a whole number from ${least} to ${most}`
