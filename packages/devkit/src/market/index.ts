/** The market simulator: a price service on loopback, its feeds and its faults. */
export { keptRequests, type Market, type MarketOptions, type MarketRequest, type PinnedPrice, startMarket } from "./market.ts"
export { type MarketFault, marketFaults } from "./marketFault.ts"
export { type EquityFeeds, equityFeeds, type MarketFeed, marketFeeds } from "./marketFeeds.ts"
