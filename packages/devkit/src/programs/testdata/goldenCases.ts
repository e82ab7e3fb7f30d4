/** Golden cases of the example programs: inputs, the upstream's answer, the time, and the exact bytes of the result. */
import { hermesBody, type HermesPrice, recorded } from "./hermesAnswer.ts"

/** One case. */
export interface GoldenCase {
  readonly name: string
  readonly program: "crypto-price" | "metals-index" | "equity-session"
  /** The execution's inputs as text. */
  readonly inputs: string
  /** The body of the upstream's answer. */
  readonly answer: string
  /** The start of the execution, ISO 8601. */
  readonly time: string
  /** The result: hex with `0x`, or its text. */
  readonly result: string
}

const hermes = "https://hermes.pyth.network/v2/updates/price/latest?"
const btc = recorded["BTC/USD"]
const near = recorded["NEAR/USD"]
const aapl = recorded["AAPL/USD"]

const crypto = (name: string, inputs: string, price: HermesPrice, time: string, result: string): GoldenCase => ({
  name,
  program: "crypto-price",
  inputs,
  answer: hermesBody([price]),
  time,
  result
})

const metalPrices: ReadonlyArray<HermesPrice> = [
  ["765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2", "4112345", -3],
  ["f2fb02c32b055c805e7238d628e5e9dadef274376114eb1f012337cabe93871e", "4866123", -5],
  ["398e4bbc7cbf89d6648c21e08019d878967677753b3096799595c78f805a34e5", "160298713", -5],
  ["80367e9664197f37d89a07a804dffd2101c479c7c4e8490501bc9d9e1e7f9021", "142751999", -5]
].map(([id, price, expo]) => ({ id: String(id), price, expo, publishTime: 1_761_339_599 }))

const metals = (name: string, inputs: string, time: string, result: string): GoldenCase => ({
  name,
  program: "metals-index",
  inputs,
  answer: hermesBody(metalPrices),
  time,
  result
})

/** The four sessions of AAPL: the regular one as recorded. */
const sessionIds = [
  "8c320e4cd87c6cef41513aead15db413cf9253211923fef6e87187a7f6688906",
  aapl.id,
  "5a207c4aa0114baecf852fcd9db9beb8ec715f2db48caa525dbd878fd416fb09",
  "241b9a5ce1c3e4bfc68e377158328628f1b478afaa796c4b1760bd3713c2d2d2"
]
const sessionPrices = (publishTimes: ReadonlyArray<number>): ReadonlyArray<HermesPrice> =>
  ["33180001", aapl.price, "33219875", "33151240"].map((price, at) => ({
    id: sessionIds[at] ?? "",
    price,
    expo: -5,
    publishTime: publishTimes[at]
  }))
const sessionInputs = `{"session_ids":[${sessionIds.map((id) => `"0x${id}"`).join(",")}],"weights":[70,85.5,60,33.333]}`
const sources = `"sources_used":["${hermes}${sessionIds.map((id) => `ids%5B%5D=${id}&`).join("")}parsed=true"]`

const equity = (name: string, times: ReadonlyArray<number>, time: string, result: string): GoldenCase => ({
  name,
  program: "equity-session",
  inputs: sessionInputs,
  answer: hermesBody(sessionPrices(times)),
  time,
  result
})

/** Every golden case. */
export const goldenCases: ReadonlyArray<GoldenCase> = [
  crypto(
    "BTC/USD as a uint256",
    `{"id":"${btc.id}"}`,
    btc,
    "2025-10-25T08:22:07.900Z",
    "0x00000000000000000000000000000000000000000000000000000a28675d0cf4"
  ),
  crypto(
    "BTC/USD as JSON, id with 0x",
    `{"id":"0x${btc.id}","output_format":"json"}`,
    btc,
    "2025-10-25T08:23:07Z",
    '{"price":111686.49121012}'
  ),
  crypto("a small price as JSON", `{"output_format":"json","id":"${near.id}"}`, near, "2026-07-27T09:09:30Z", '{"price":1.83487211}'),
  crypto(
    "an equity's price with five places as a uint256",
    `{"id":"${aapl.id}"}`,
    aapl,
    "2026-07-30T15:09:56Z",
    "0x00000000000000000000000000000000000000000000000000000007bc4a3170"
  ),
  metals(
    "no inputs, a Friday's close read on Sunday",
    "",
    "2025-10-26T12:00:00Z",
    "0x00000000000000000000000000000000000000000000000000000029dc30a196"
  ),
  metals("an empty object", "{}", "2025-10-26T12:00:00Z", "0x00000000000000000000000000000000000000000000000000000029dc30a196"),
  metals("the defaults as JSON", '{"output_format":"json"}', "2025-10-26T12:00:00Z", '{"index":1797.8783375}'),
  metals(
    "weights of thirds",
    '{"weights":{"gold":33.34,"silver":33.33,"platinum":33.33,"palladium":0},"output_format":"json"}',
    "2025-10-24T21:00:00Z",
    '{"index":1921.55022139}'
  ),
  equity(
    "regular hours",
    [1_785_424_100, 1_785_424_136, 1_785_424_000, 1_785_424_000],
    "2026-07-30T15:08:57Z",
    '{"composite_rate":332.17406,"price":{"mantissa":"33217406","expo":-5},' +
      '"active_session":"NORMAL",' +
      '"weights":{"session":0.855,"reference":0.145},"timestamp":"2026-07-30T15:08:56.000Z",' +
      `${sources},"was_stale":false,"market":"open","weights_unit":"fraction"}`
  ),
  equity(
    "pre-market, stale: the regular feed is newer",
    [1_785_400_000, 1_785_424_136, 1_785_400_000, 1_785_400_000],
    "2026-07-31T08:00:00Z",
    '{"composite_rate":332.01997,"price":{"mantissa":"33201997","expo":-5},' +
      '"active_session":"PREMARKET",' +
      '"weights":{"session":0.7,"reference":0.3},"timestamp":"2026-07-30T15:08:56.000Z",' +
      `${sources},"was_stale":true,"market":"open","weights_unit":"fraction"}`
  ),
  equity(
    "overnight, the last second of it",
    [1_785_484_700, 1_785_484_000, 1_785_484_000, 1_785_484_799],
    "2026-07-31T07:59:59.999Z",
    '{"composite_rate":331.96997,"price":{"mantissa":"33196997","expo":-5},' +
      '"active_session":"OVERNIGHT",' +
      '"weights":{"session":0.33333,"reference":0.66667},"timestamp":"2026-07-31T07:59:59.000Z",' +
      `${sources},"was_stale":false,"market":"open","weights_unit":"fraction"}`
  ),
  equity(
    "a weekend",
    [1_785_440_000, 1_785_441_600, 1_785_456_000, 1_785_440_000],
    "2026-08-01T12:00:00Z",
    '{"composite_rate":332.21425,"price":{"mantissa":"33221425","expo":-5},' +
      '"active_session":"POSTMARKET",' +
      '"weights":{"session":0.6,"reference":0.4},"timestamp":"2026-07-31T00:00:00.000Z",' +
      `${sources},"was_stale":true,"market":"closed","weights_unit":"fraction"}`
  )
]
