/** The median-absolute-deviation filter in exact integer arithmetic, as on the public network (decision D24). */
import type { ConsensusFilter, FilterNumberType } from "./consensusFilter.ts"
import { type Json, JsonNumber } from "../encoding/losslessJson.ts"

type Deviation = Extract<ConsensusFilter, { method: "mad" }>

const sigmaScale = 1_000_000n

const rangeOf = (type: FilterNumberType): readonly [low: bigint, high: bigint] => {
  const bits = BigInt(type.replace(/\D/g, ""))
  return type.startsWith("u") ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n]
}

/** The integer of a reveal, if its first node is one within the range of the type. */
const integerOf = (nodes: ReadonlyArray<Json>, type: FilterNumberType): bigint | undefined => {
  const [node] = nodes
  if (!(node instanceof JsonNumber) || !/^-?[0-9]+$/.test(node.digits)) return undefined
  const value = BigInt(node.digits)
  const [low, high] = rangeOf(type)
  return value >= low && value <= high ? value : undefined
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value)

/** Twice the median, so that the mean of the middle two stays an integer. */
const doubledMedian = (values: ReadonlyArray<bigint>): bigint => {
  const sorted = values.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0))
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0n
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n
  return lower + upper
}

/** Which reveals have no usable integer (errors), and which deviate from the median by more than sigma deviations (also errors). */
export const deviationOutliers = (
  nodes: ReadonlyArray<ReadonlyArray<Json>>,
  filter: Deviation
): { readonly errors: ReadonlyArray<boolean>; readonly outliers: ReadonlyArray<boolean> } => {
  const values = nodes.map((found) => integerOf(found, filter.numberType))
  const usable = values.filter((value) => value !== undefined)
  const median2 = doubledMedian(usable)
  const distance2 = (value: bigint): bigint => absolute(2n * value - median2)
  // Distances are doubled, their doubled median is quadrupled: |2x − 2m| · 2 · 10^6 ≤ σ·10^6 · 4·MAD.
  const deviation4 = doubledMedian(usable.map(distance2))
  const within = (value: bigint): boolean => distance2(value) * 2n * sigmaScale <= filter.sigmaMicros * deviation4
  return {
    errors: values.map((value) => value === undefined),
    outliers: values.map((value) => value === undefined || !within(value))
  }
}
