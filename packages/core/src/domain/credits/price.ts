/** The price of a run, and the credits to hold for it in advance (decisions D31, D32). */
import type { Cost, ProxyCharge } from "../reports/executionReport.ts"
import { checkNames } from "../settings/checkNames.ts"
import type { GasLimits } from "../settings/gasLimits.ts"
import { InvalidOption } from "../settings/invalidOption.ts"

/** The rates, in integer credits. */
export interface Tariff {
  readonly baseCredits: bigint
  /** One credit pays for this much gas; a started credit counts as a whole one. */
  readonly gasPerCredit: bigint
  /** A phase that timed out is charged for at least this much gas per ms of worker time. */
  readonly gasPerWorkerMs: bigint
}

/** One credit per run and one for each started 10^12 gas; 30 s of a worker count as the default execution limit of 300 · 10^12 gas. */
export const defaultTariff: Tariff = {
  baseCredits: 1n,
  gasPerCredit: 1_000_000_000_000n,
  gasPerWorkerMs: 10_000_000_000n
}

const ceilingDivide = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor

/** base + ⌈gas / gasPerCredit⌉ + Σ fee · calls. */
export const priceOf = (tariff: Tariff, gas: bigint, proxies: ReadonlyArray<ProxyCharge>): Cost => {
  const gasCredits = ceilingDivide(gas, tariff.gasPerCredit)
  const dataProxies = proxies.reduce((sum, { fee, calls }) => sum + fee * BigInt(calls), 0n)
  const base = tariff.baseCredits
  return { base, gas: gasCredits, dataProxies, total: base + gasCredits + dataProxies }
}

/** The maximum price of a run: every gas limit reached, the whole data-proxy budget spent. */
export const worstPriceOf = (tariff: Tariff, limits: GasLimits, proxyBudgetCredits: bigint): Cost => {
  const gas = ceilingDivide(limits.exec + limits.tally, tariff.gasPerCredit)
  const base = tariff.baseCredits
  return { base, gas, dataProxies: proxyBudgetCredits, total: base + gas + proxyBudgetCredits }
}

/**
 * The gas that a phase is charged for: what it used, or, if it timed out, its worker time if that is more (decision D29). Never more than
 * its limit, which is what was held.
 */
export const chargeableGas = (
  { gasCharged, workerMs = 0 }: { readonly gasCharged: bigint; readonly workerMs?: number },
  gasLimit: bigint,
  gasPerWorkerMs: bigint
): bigint => {
  const timeGas = BigInt(Math.ceil(workerMs)) * gasPerWorkerMs
  const gas = gasCharged > timeGas ? gasCharged : timeGas
  return gas < gasLimit ? gas : gasLimit
}

const tariffNames: Readonly<Record<keyof Tariff, true>> = { baseCredits: true, gasPerCredit: true, gasPerWorkerMs: true }

/** A credit that pays for no gas would have no price. */
const leastOf = (name: string): bigint => (name === "gasPerCredit" ? 1n : 0n)

/** The tariff. Throws {@link InvalidOption} for a rate that there is not, and for the first that is missing or breaks its rule. */
export const checkedTariff = (given: Tariff): Tariff => {
  checkNames(given, tariffNames, "tariff.")
  const rates: Readonly<Record<string, unknown>> = { ...given }
  for (const name of Object.keys(tariffNames)) {
    const [rate, least] = [rates[name], leastOf(name)]
    if (typeof rate !== "bigint" || rate < least) throw new InvalidOption(`tariff.${name}`, `must be a bigint, ${least} or more`)
  }
  return given
}
