/** The market simulator in the place of the real price service. */
import { startMarket } from "@sibyl/devkit/market"
import { Effect } from "effect"
import type { OutboundOptions } from "@sibyl/vm/http"

/** The price service that the example programs ask. */
export const priceHost = "hermes.pyth.network"
const seed = 20_261_120

/** A market on loopback for as long as the scope lives, as outbound options that put it in the price host's place. */
export const demoUpstream = Effect.acquireRelease(
  Effect.promise(() => startMarket({ seed })),
  (market) => Effect.promise(() => market.close())
).pipe(Effect.map((market): OutboundOptions => ({ hostOverrides: { [priceHost]: market.url } })))

/** The market's stand-ins, overridden by the configured ones: a host that the operator has redirected stays so. */
export const withMarket = (outbound: OutboundOptions, market: OutboundOptions): OutboundOptions => ({
  ...outbound,
  hostOverrides: { ...market.hostOverrides, ...outbound.hostOverrides }
})
