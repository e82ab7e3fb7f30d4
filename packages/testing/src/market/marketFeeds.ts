/** The price feeds a simulated market knows by name: their public ids and where their prices start. */

/** One feed. Its base price is `mantissa` · 10^`expo` US dollars. */
export interface MarketFeed {
  readonly name: string
  /** 64 lowercase hex characters, no `0x`: the public network's own id of the pair. */
  readonly id: string
  readonly mantissa: bigint
  readonly expo: number
}

const feed = (name: string, id: string, mantissa: bigint, expo: number): MarketFeed => ({ name, id, mantissa, expo })

/** The known feeds. Any other id is answered too, from a base price derived from the id. */
export const marketFeeds: ReadonlyArray<MarketFeed> = [
  feed("BTC/USD", "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43", 9_523_412_345_678n, -8),
  feed("ETH/USD", "ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace", 341_207_654_321n, -8),
  feed("SOL/USD", "ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d", 16_432_109_876n, -8),
  feed("USDC/USD", "eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a", 99_998_765n, -8),
  feed("XAU/USD", "765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2", 3_345_678n, -3),
  feed("XAG/USD", "f2fb02c32b055c805e7238d628e5e9dadef274376114eb1f012337cabe93871e", 3_812_345n, -5),
  feed("XPT/USD", "398e4bbc7cbf89d6648c21e08019d878967677753b3096799595c78f805a34e5", 135_678_901n, -5),
  feed("XPD/USD", "80367e9664197f37d89a07a804dffd2101c479c7c4e8490501bc9d9e1e7f9021", 113_456_789n, -5)
]

const feedsById: ReadonlyMap<string, MarketFeed> = new Map(marketFeeds.map((each) => [each.id, each]))

/** The known feed of an id (64 lowercase hex characters), `undefined` when the id stands for no pair we know. */
export const knownFeed = (id: string): MarketFeed | undefined => feedsById.get(id)
