/** Amounts as people read them. */

/** Decimal digits in groups of three; undefined for anything else. */
export const grouped = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d+$/.test(value) ? BigInt(value).toLocaleString("en-US") : undefined
