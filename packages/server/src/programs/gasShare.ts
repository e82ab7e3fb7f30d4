/** A share of gas for people. */

/** Such as `12.3 %`; of nothing, a dash. */
export const gasShare = (part: bigint, whole: bigint): string =>
  whole === 0n ? "-" : `${(Number((part * 100_000n) / whole) / 1_000).toFixed(1)} %`
