/** The price feed that the demonstration asks for. */

/** Pyth's feed of BTC/USD. */
export const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"
