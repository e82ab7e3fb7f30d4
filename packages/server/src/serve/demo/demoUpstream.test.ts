/** The simulated market takes the price host's place only where nobody has put that host somewhere else. */
import { expect, test } from "vitest"
import { withMarket } from "./demoUpstream.ts"

const market = { hostOverrides: { "hermes.pyth.network": "http://127.0.0.1:1" } }

test("the market simulator is used if nothing is configured", () => {
  expect(withMarket({ allowHosts: ["a.test"] }, market)).toEqual({ allowHosts: ["a.test"], ...market })
})

test("a configured host keeps its override, and others are kept", () => {
  const own = { "hermes.pyth.network": "http://127.0.0.1:2", "b.test": "http://127.0.0.1:3" }
  expect(withMarket({ hostOverrides: own }, market)).toEqual({ hostOverrides: own })
})
