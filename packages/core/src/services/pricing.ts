/** The price list as a service, so that an embedder can replace it (decision D31). */
import { Context, Layer } from "effect"
import type { Cost, ProxyCharge } from "../domain/reports/executionReport.ts"
import { defaultTariff, priceOf, type Tariff, worstPriceOf } from "../domain/credits/price.ts"
import { checkedTariff } from "../domain/settings/checkedTariff.ts"
import type { GasLimits } from "../domain/settings/gasLimits.ts"

/** Prices runs, in advance and afterwards. These are pure functions: the same run always has the same price. */
export class Pricing extends Context.Tag("@sibyl/core/Pricing")<
  Pricing,
  {
    /** The worst case by its parts. Its total is held and quoted; no run within these limits may cost more. */
    readonly worst: (limits: GasLimits, proxyBudgetCredits: bigint) => Cost
    /** The least gas per ms of worker time that a phase is charged when it reaches its wall clock (decision D29). */
    readonly gasPerWorkerMs: bigint
    readonly price: (gasCharged: bigint, proxies: ReadonlyArray<ProxyCharge>) => Cost
  }
>() {
  /** Base price, gas and data-proxy fees at one rate. Throws {@link InvalidOption} for a rate that is none. */
  static readonly layerFromTariff = (given: Tariff = defaultTariff): Layer.Layer<Pricing> => {
    const tariff = checkedTariff(given)
    return Layer.succeed(Pricing, {
      worst: (limits, proxyBudgetCredits) => worstPriceOf(tariff, limits, proxyBudgetCredits),
      gasPerWorkerMs: tariff.gasPerWorkerMs,
      price: (gasCharged, proxies) => priceOf(tariff, gasCharged, proxies)
    })
  }
}
