/** The prices of a simulated market: a pure function of seed, feed and time, in integers, equal on every engine. */
import { knownFeed } from "./marketFeeds.ts"

/** A price with its uncertainty, both in units of 10^`expo` US dollars. */
export interface Quote {
  readonly price: bigint
  readonly conf: bigint
  readonly emaPrice: bigint
  readonly emaConf: bigint
  readonly expo: number
}

/** Prices move at most this often. */
export const priceStepMs = 250

/** A well-mixed 32-bit hash of a text (FNV-1a with the finalizer of MurmurHash3). */
export const hash32 = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A component of the price: random heights every `periodMs`, linearly interpolated. */
interface Wave {
  readonly periodMs: number
  /** The largest deviation, in millionths of the base price. */
  readonly amplitudePpm: number
}

const slowWaves: ReadonlyArray<Wave> = [
  { periodMs: 86_400_000, amplitudePpm: 40_000 },
  { periodMs: 3_600_000, amplitudePpm: 8_000 }
]
const fastWaves: ReadonlyArray<Wave> = [
  { periodMs: 60_000, amplitudePpm: 900 },
  { periodMs: 5_000, amplitudePpm: 120 },
  { periodMs: 1_000, amplitudePpm: 30 }
]

/** A wave's deviation at a time, in billionths of the base price. */
const deviationPpb = (key: string, { periodMs, amplitudePpm }: Wave, timeMs: number): number => {
  const slot = Math.floor(timeMs / periodMs)
  const height = (at: number): number => (hash32(`${key}/${periodMs}/${at}`) % 2001) - 1000
  const into = timeMs - slot * periodMs
  // Every intermediate is an integer below 2^53.
  return Math.trunc(((height(slot) * (periodMs - into) + height(slot + 1) * into) * amplitudePpm) / periodMs)
}

const moved = (base: bigint, key: string, waves: ReadonlyArray<Wave>, timeMs: number): bigint => {
  const ppb = waves.reduce((sum, wave) => sum + deviationPpb(key, wave, timeMs), 0)
  return base + (base * BigInt(ppb)) / 1_000_000_000n
}

/** The base price: that of the known feed, or one between $0.01 and about $43,000 derived from the id. */
const baseOf = (id: string): { readonly mantissa: bigint; readonly expo: number } =>
  knownFeed(id) ?? { mantissa: 1_000_000n + BigInt(hash32(id)) * 1_000n, expo: -8 }

/** The quote of a feed (64 lowercase hex characters) at a time (epoch milliseconds). */
export const quoteAt = (seed: number, id: string, timeMs: number): Quote => {
  const { mantissa, expo } = baseOf(id)
  const key = `${seed}/${id}`
  const time = Math.floor(timeMs / priceStepMs) * priceStepMs
  const price = moved(mantissa, key, [...slowWaves, ...fastWaves], time)
  const emaPrice = moved(mantissa, key, slowWaves, time)
  return { price, conf: price / 2_500n + 1n, emaPrice, emaConf: emaPrice / 2_200n + 1n, expo }
}
