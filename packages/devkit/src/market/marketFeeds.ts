/** The known price feeds of a simulated market: their public ids and base prices. */

/** One feed. Its base price is `mantissa` · 10^`expo` US dollars. */
export interface MarketFeed {
  readonly name: string
  /** 64 lowercase hex characters, no `0x`: the public network's id of the pair. */
  readonly id: string
  readonly mantissa: bigint
  readonly expo: number
}

const feed = (name: string, id: string, mantissa: bigint, expo: number): MarketFeed => ({ name, id, mantissa, expo })

/** The four feeds of one equity, one per session, in the order of the sessions of a trading day. */
export interface EquityFeeds {
  readonly symbol: string
  /** Pre-market, regular hours, post-market, overnight: 64 lowercase hex characters each. */
  readonly sessionIds: readonly [premarket: string, normal: string, postmarket: string, overnight: string]
  /** The base price of the regular session, in units of 10^-5 US dollars. */
  readonly mantissa: bigint
}

/** The known equities. */
export const equityFeeds: ReadonlyArray<EquityFeeds> = [
  {
    symbol: "AAPL",
    sessionIds: [
      "8c320e4cd87c6cef41513aead15db413cf9253211923fef6e87187a7f6688906",
      "49f6b65cb1de6b10eaf75e7c03ca029c306d0357e91b5311b175084a5ad55688",
      "5a207c4aa0114baecf852fcd9db9beb8ec715f2db48caa525dbd878fd416fb09",
      "241b9a5ce1c3e4bfc68e377158328628f1b478afaa796c4b1760bd3713c2d2d2"
    ],
    mantissa: 33_223_750n
  },
  {
    symbol: "TSLA",
    sessionIds: [
      "42676a595d0099c381687124805c8bb22c75424dffcaa55e3dc6549854ebe20a",
      "16dad506d7db8da01c87581c87ca897a012a153557d4d578c3b9c9e1bc0632f1",
      "2a797e196973b72447e0ab8e841d9f5706c37dc581fe66a0bd21bcd256cdb9b9",
      "713631e41c06db404e6a5d029f3eebfd5b885c59dce4a19f337c024e26584e26"
    ],
    mantissa: 30_557_932n
  },
  {
    symbol: "NVDA",
    sessionIds: [
      "61c4ca5b9731a79e285a01e24432d57d89f0ecdd4cd7828196ca8992d5eafef6",
      "b1073854ed24cbc755dc527418f52b7d271f6cc967bbf8d8129112b18860a593",
      "25719379353a508b1531945f3c466759d6efd866f52fbaeb3631decb70ba381f",
      "c949a96fd1626e82abc5e1496e6e8d44683ac8ac288015ee90bf37257e3e6bf6"
    ],
    mantissa: 18_062_500n
  },
  {
    symbol: "GOOGL",
    sessionIds: [
      "43c3a42db1a663a22551d6c35d5bab823e86c1a05f27de3dd900e68952fce175",
      "5a48c03e9b9cb337801073ed9d166817473697efff0d138874e0f6a33d6d5aa6",
      "88d0800b1649d98e21b8bf9c3f42ab548034d62874ad5d80e1c1b730566d7f61",
      "07d24bb76843496a45bce0add8b51555f2ea02098cb04f4c6d61f7b5720836b4"
    ],
    mantissa: 29_987_400n
  },
  {
    symbol: "SPY",
    sessionIds: [
      "34f6ef70940cb9b6a37e030689612bf454f59f4a2fc5d3e03bdf2b330a088107",
      "19e09bb805456ada3979a7d1cbb4b6d63babc3a0f8e8a9509f68afa5c4c11cd5",
      "5374a7d76a45ae2443cef351d10482b7bcc6ef5a928e75030d63b5fb3abe7cb5",
      "05d590e94e9f51abe18ed0421bc302995673156750e914ac1600583fe2e03f99"
    ],
    mantissa: 66_012_300n
  }
]

/** The feeds of an equity's sessions, with slightly different prices, as in reality. */
const sessionsOf = ({ mantissa, sessionIds, symbol }: EquityFeeds): ReadonlyArray<MarketFeed> =>
  [".PRE", "", ".POST", ".ON"].map((suffix, at) =>
    feed(`${symbol}/USD${suffix}`, sessionIds[at] ?? "", mantissa + (mantissa * BigInt(at)) / 2_000n, -5)
  )

/** The known feeds. Any other id is answered too, from a base price derived from the id. */
export const marketFeeds: ReadonlyArray<MarketFeed> = [
  feed("BTC/USD", "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43", 9_523_412_345_678n, -8),
  feed("ETH/USD", "ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace", 341_207_654_321n, -8),
  feed("SOL/USD", "ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d", 16_432_109_876n, -8),
  feed("USDC/USD", "eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a", 99_998_765n, -8),
  feed("XAU/USD", "765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2", 3_345_678n, -3),
  feed("XAG/USD", "f2fb02c32b055c805e7238d628e5e9dadef274376114eb1f012337cabe93871e", 3_812_345n, -5),
  feed("XPT/USD", "398e4bbc7cbf89d6648c21e08019d878967677753b3096799595c78f805a34e5", 135_678_901n, -5),
  feed("XPD/USD", "80367e9664197f37d89a07a804dffd2101c479c7c4e8490501bc9d9e1e7f9021", 113_456_789n, -5),
  feed("EUR/USD", "a995d00bb36a63cef7fd2c287dc105fc8f3d93779f062f09551b0af3e81ec30b", 115_432n, -5),
  feed("GBP/USD", "84c2dde9633d93d1bcad84e7dc41c9d56578b7ec52fabedc1f335d673df0a7c1", 130_987n, -5),
  feed("USD/JPY", "ef2c98c804ba503c6a707e38be4dfbb16683775f195b091252bf24693042fd52", 157_123n, -3),
  ...equityFeeds.flatMap(sessionsOf)
]

const feedsById: ReadonlyMap<string, MarketFeed> = new Map(marketFeeds.map((each) => [each.id, each]))

/** The known feed with an id (64 lowercase hex characters), `undefined` if it is unknown. */
export const knownFeed = (id: string): MarketFeed | undefined => feedsById.get(id)
