/** Whether executors agree, and which reveals are outliers, exactly as the chain decides it (decision D24). */
import { toUtf8 } from "../encoding/bytes.ts"
import { type ConsensusFilter, readConsensusFilter } from "./consensusFilter.ts"
import { deviationOutliers } from "./medianDeviation.ts"
import { type JsonPath, selectNodes } from "../encoding/jsonPath.ts"
import { isJsonArray, isJsonObject, type Json, printJson, readJson } from "../encoding/losslessJson.ts"
import type { Reveal } from "./phaseInputs.ts"

/** Why the tally does not run. */
export type ConsensusError = "ErrNoBasicConsensus" | "ErrInvalidFilterInput" | "ErrNoConsensus" | "ErrConsensusInError"

/** The verdict on all reveals, in their order; `outliers` is `null` where the chain reports none. */
export interface ConsensusVerdict {
  readonly consensus: boolean
  readonly outliers: ReadonlyArray<boolean> | null
  readonly error: ConsensusError | null
  /** The keys of the data proxies that the agreeing executors used. */
  readonly proxyPublicKeys: ReadonlyArray<string>
}

/** The result of one filter: which reveals are errors, which are outliers, whether enough agree. */
interface Filtered {
  readonly errors: ReadonlyArray<boolean>
  readonly outliers: ReadonlyArray<boolean>
  readonly consensus: boolean
}

const atLeastTwoThirds = (part: number, whole: number): boolean => part * 3 >= whole * 2

const count = (flags: ReadonlyArray<boolean>): number => flags.filter(Boolean).length

/** The largest group of reveals with equal success and proxy keys; the first to reach the highest count wins. */
const basicConsensus = (reveals: ReadonlyArray<Reveal>) => {
  const sizes = new Map<string, number>()
  let best: { readonly size: number; readonly keys: ReadonlyArray<string> } = { size: 0, keys: [] }
  for (const { exitCode, proxyPublicKeys } of reveals) {
    const keys = proxyPublicKeys.toSorted()
    const group = JSON.stringify([exitCode === 0, keys])
    const size = (sizes.get(group) ?? 0) + 1
    sizes.set(group, size)
    if (size > best.size) best = { size, keys }
  }
  return best
}

/** The text of a node with sorted keys, so that equal values have equal text. */
const nodeText = (node: Json): string => {
  const sorted = (value: Json): Json => {
    if (isJsonObject(value)) {
      return new Map([...value].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([key, item]) => [key, sorted(item)]))
    }
    return isJsonArray(value) ? value.map(sorted) : value
  }
  return printJson(sorted(node), ({ digits }) => digits)
}

/** The nodes at the filter's path in a reveal; none if it failed or is not JSON. */
const nodesAt = (reveal: Reveal, path: JsonPath): ReadonlyArray<Json> => {
  const text = reveal.exitCode === 0 ? toUtf8(reveal.result) : undefined
  const read = text === undefined ? undefined : readJson(text)
  return read?.ok === true ? selectNodes(read.value, path) : []
}

const byMode = (reveals: ReadonlyArray<Reveal>, path: JsonPath, replicationFactor: number): Filtered => {
  const values = reveals.map((reveal) => nodesAt(reveal, path).map(nodeText).toSorted()[0])
  const frequencies = new Map<string, number>()
  for (const value of values) if (value !== undefined) frequencies.set(value, (frequencies.get(value) ?? 0) + 1)
  const highest = Math.max(0, ...frequencies.values())
  return {
    errors: values.map((value) => value === undefined),
    outliers: values.map((value) => value === undefined || frequencies.get(value) !== highest),
    consensus: atLeastTwoThirds(highest, replicationFactor)
  }
}

const applyFilter = (filter: ConsensusFilter, reveals: ReadonlyArray<Reveal>, replicationFactor: number): Filtered => {
  switch (filter.method) {
    case "none":
      return {
        errors: reveals.map(({ exitCode }) => exitCode !== 0),
        outliers: reveals.map(() => false),
        consensus: true
      }
    case "mode":
      return byMode(reveals, filter.path, replicationFactor)
    case "mad": {
      const nodes = reveals.map((reveal) => nodesAt(reveal, filter.path))
      const { errors, outliers } = deviationOutliers(nodes, filter)
      const agreeing = count(outliers.map((outlier) => !outlier))
      return { errors, outliers, consensus: agreeing > 0 && atLeastTwoThirds(agreeing, replicationFactor) }
    }
  }
}

/** Applies a filter (its bytes) to the reveals of `replicationFactor` executors. */
export const reachConsensus = (filterBytes: Uint8Array, replicationFactor: number, reveals: ReadonlyArray<Reveal>): ConsensusVerdict => {
  const basic = basicConsensus(reveals)
  if (!atLeastTwoThirds(basic.size, replicationFactor)) {
    return { consensus: false, outliers: null, error: "ErrNoBasicConsensus", proxyPublicKeys: [] }
  }
  const proxyPublicKeys = basic.keys
  const filter = readConsensusFilter(filterBytes)
  if ("message" in filter) return { consensus: false, outliers: null, error: "ErrInvalidFilterInput", proxyPublicKeys }
  const { errors, outliers, consensus } = applyFilter(filter, reveals, replicationFactor)
  if (atLeastTwoThirds(count(errors), reveals.length)) {
    // Consensus on failure: the few that succeeded are the outliers, also with the `none` filter.
    return { consensus: true, outliers: errors.map((error) => !error), error: "ErrConsensusInError", proxyPublicKeys }
  }
  if (!consensus) return { consensus: false, outliers: null, error: "ErrNoConsensus", proxyPublicKeys }
  return { consensus: true, outliers, error: null, proxyPublicKeys }
}
