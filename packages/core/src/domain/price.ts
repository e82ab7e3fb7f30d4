/** What a run costs, and what has to be held for it beforehand (decisions D31, D32). */
import type { Cost, ProxyCharge } from "./executionReport.ts"
import type { GasLimits } from "./project.ts"

/** The rate. Integer credits. */
export interface Tariff {
  readonly baseCredits: bigint
  /** One credit pays for this much gas; a begun credit counts whole. */
  readonly gasPerCredit: bigint
}

/** One credit a run, and one for each begun 10^12 gas. */
export const defaultTariff: Tariff = { baseCredits: 1n, gasPerCredit: 1_000_000_000_000n }

const ceilingDivide = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor

/** base + ⌈gas / gasPerCredit⌉ + Σ fee · calls. */
export const priceOf = (tariff: Tariff, gas: bigint, proxies: ReadonlyArray<ProxyCharge>): Cost => {
  const gasCredits = ceilingDivide(gas, tariff.gasPerCredit)
  const dataProxies = proxies.reduce((sum, { fee, calls }) => sum + fee * BigInt(calls), 0n)
  const base = tariff.baseCredits
  return { base, gas: gasCredits, dataProxies, total: base + gasCredits + dataProxies }
}

/** The most that a run can cost: every gas limit reached, the whole data-proxy budget spent. */
export const worstPriceOf = (tariff: Tariff, limits: GasLimits, proxyBudgetCredits: bigint): Cost => {
  const gas = ceilingDivide(limits.exec + limits.tally, tariff.gasPerCredit)
  const base = tariff.baseCredits
  return { base, gas, dataProxies: proxyBudgetCredits, total: base + gas + proxyBudgetCredits }
}

/** The gas a phase is charged for: never more than its limit, which is what was held. */
export const chargeableGas = (gasCharged: bigint, gasLimit: bigint): bigint =>
  gasCharged < gasLimit ? gasCharged : gasLimit
