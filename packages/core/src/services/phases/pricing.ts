/** The price list as a service, so that an embedder can replace it (decision D31); what is no price neither runs, nor charges, nor reaches an answer. */
import { Context, Effect, Layer } from "effect"
import type { Cost, ProxyCharge } from "../../domain/reports/executionReport.ts"
import { checkedTariff, defaultTariff, priceOf, type Tariff, worstPriceOf } from "../../domain/credits/price.ts"
import type { GasLimits } from "../../domain/settings/gasLimits.ts"

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

/** A price that is none: the embedder's own `Pricing` is wrong. It is raised as a defect; the run is not charged. */
export class PricingDefect extends Error {
  readonly _tag = "PricingDefect"

  constructor(message: string) {
    super(message)
    this.name = "PricingDefect"
  }
}

const parts = ["base", "gas", "dataProxies", "total"] as const satisfies ReadonlyArray<keyof Cost>

const isCredits = (value: unknown): boolean => typeof value === "bigint" && value >= 0n

const checkCredits = (name: string, value: unknown): void => {
  if (!isCredits(value)) throw new PricingDefect(`${name} must be a bigint, 0 or more, not ${String(value)}`)
}

/** From JavaScript it may be anything. */
const checkedCost = (name: string, cost: unknown): Cost => {
  if (typeof cost !== "object" || cost === null) throw new PricingDefect(`${name} must be an object, not ${String(cost)}`)
  const { base, dataProxies, gas, total }: Partial<Cost> = cost
  const given = { base, gas, dataProxies, total }
  for (const part of parts) checkCredits(`${name}.${part}`, given[part])
  return { base, gas, dataProxies, total } as Cost
}

/** The same prices, checked. Throws a {@link PricingDefect} where there is none. */
export const checkedPricing = (pricing: Context.Tag.Service<Pricing>): Context.Tag.Service<Pricing> => {
  const { gasPerWorkerMs } = pricing
  checkCredits("gasPerWorkerMs", gasPerWorkerMs)
  return {
    gasPerWorkerMs,
    worst: (limits, proxyBudgetCredits) => checkedCost("worst", pricing.worst(limits, proxyBudgetCredits)),
    price: (gasCharged, proxies) => checkedCost("price", pricing.price(gasCharged, proxies))
  }
}

/** Over the price list that is given. */
export const layerCheckedPricing: Layer.Layer<Pricing, never, Pricing> = Layer.effect(Pricing, Effect.map(Pricing, checkedPricing))
