/** The golden cases that `sibyl new` writes beside a program: a price, and an upstream that is down. */

const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"
const url = `https://hermes.pyth.network/v2/updates/price/latest?parsed=true&ids%5B%5D=${btcUsd}`

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

/** A price, as the price service answers it. */
export const priceCase = json({
  execInputs: {},
  time: "2026-01-05T12:00:00Z",
  upstream: {
    [url]: {
      status: 200,
      body: {
        parsed: [
          {
            id: btcUsd,
            price: { price: "9624312345678", conf: "2512345678", expo: -8, publish_time: 1_767_614_399 }
          }
        ]
      }
    }
  },
  expect: { exitCode: 0, result: '{"price":96243.12345678}', stderr: "^$" }
})

/** The price service is down: the program says so and answers nothing. */
export const upstreamDownCase = json({
  execInputs: {},
  time: "2026-01-05T12:00:00Z",
  upstream: { [url]: { status: 503, body: "" } },
  expect: { exitCode: 1, result: "", stderr: "answered with status 503" }
})
