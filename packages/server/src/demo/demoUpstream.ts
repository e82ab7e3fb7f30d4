/** The market simulator in the place of the real price service. */
import { startMarket } from "@sibyl/testing/market"
import { Effect } from "effect"
import type { OutboundOptions } from "@sibyl/vm/http"

const priceHost = "hermes.pyth.network"
const seed = 20_261_120

/** A market on loopback for as long as the scope lives, and the outbound options that send the price host's requests to it. */
export const demoUpstream = Effect.acquireRelease(
  Effect.promise(() => startMarket({ seed })),
  (market) => Effect.promise(() => market.close())
).pipe(Effect.map((market): OutboundOptions => ({ hostOverrides: { [priceHost]: market.url } })))
