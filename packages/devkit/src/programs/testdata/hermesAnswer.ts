/** Responses of the price service in its own shape: recorded prices, and a body for any prices. */
import type { CannedAnswer } from "./bareHost.ts"

/** One price as the service returns it, possibly with invalid values. */
export interface HermesPrice {
  readonly id: string
  readonly price: unknown
  readonly expo: unknown
  readonly publishTime: unknown
}

/** The body of a response with these prices, in this order. */
export const hermesBody = (prices: ReadonlyArray<HermesPrice>): string =>
  JSON.stringify({
    binary: { encoding: "hex", data: ["504e41550100000003b801"] },
    parsed: prices.map(({ expo, id, price, publishTime }) => ({
      id,
      price: { price, conf: "15272", expo, publish_time: publishTime },
      ema_price: { price: "1", conf: "21716", expo, publish_time: publishTime },
      metadata: { slot: 305_542_333, proof_available_time: publishTime, prev_publish_time: publishTime }
    }))
  })

/** The same as a response with status 200. */
export const hermesAnswer = (prices: ReadonlyArray<HermesPrice>): CannedAnswer => ({
  status: 200,
  body: hermesBody(prices)
})

/** Prices recorded from the public service, by the name of the feed. */
export const recorded = {
  "BTC/USD": {
    id: "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43",
    price: "11168649121012",
    expo: -8,
    publishTime: 1_761_380_527
  },
  "ETH/USD": {
    id: "ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace",
    price: "195656091864",
    expo: -8,
    publishTime: 1_785_143_368
  },
  "NEAR/USD": {
    id: "c415de8d2eba7db216527dff4b60e8f3a5311c740dadb233e13e12547e226750",
    price: "183487211",
    expo: -8,
    publishTime: 1_785_143_368
  },
  "AAPL/USD": {
    id: "49f6b65cb1de6b10eaf75e7c03ca029c306d0357e91b5311b175084a5ad55688",
    price: "33223750",
    expo: -5,
    publishTime: 1_785_424_136
  },
  "TSLA/USD": {
    id: "16dad506d7db8da01c87581c87ca897a012a153557d4d578c3b9c9e1bc0632f1",
    price: "30557932",
    expo: -5,
    publishTime: 1_785_424_136
  }
} as const satisfies Record<string, HermesPrice>
