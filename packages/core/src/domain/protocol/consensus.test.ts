/** Consensus agrees with a small independent model of the rules (decision D24). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromUtf8 } from "../encoding/bytes.ts"
import { reachConsensus } from "./consensus.ts"
import { type FilterNumberType, writeConsensusFilter } from "./consensusFilter.ts"
import { readJsonPath } from "../encoding/jsonPath.ts"
import type { Reveal } from "./phaseInputs.ts"

const path = readJsonPath("$.v") ?? []
const none = writeConsensusFilter({ method: "none" })
const mode = writeConsensusFilter({ method: "mode", jsonPath: "$.v", path })
const mad = (sigmaMicros: bigint, numberType: FilterNumberType): Uint8Array =>
  writeConsensusFilter({ method: "mad", jsonPath: "$.v", path, sigmaMicros, numberType })

interface Shown {
  readonly exitCode: number
  readonly text: string
  readonly keys: ReadonlyArray<string>
}

const revealOf = ({ exitCode, keys, text }: Shown): Reveal => ({
  result: fromUtf8(text),
  exitCode,
  gasUsed: 0n,
  proxyPublicKeys: keys
})

const twoThirds = (part: number, whole: number): boolean => part / whole >= 2 / 3 - 1e-12

/** The independent model: basic consensus, and everything after the filter. */
const decided = (
  reveals: ReadonlyArray<Shown>,
  replicationFactor: number,
  filtered: {
    readonly errors: ReadonlyArray<boolean>
    readonly outliers: ReadonlyArray<boolean>
    readonly consensus: boolean
  }
) => {
  const groups = reveals.map((one) => `${one.exitCode === 0} ${[...one.keys].sort().join()}`)
  const largest = Math.max(0, ...groups.map((group) => groups.filter((other) => other === group).length))
  if (!twoThirds(largest, replicationFactor)) return { consensus: false, outliers: null, error: "ErrNoBasicConsensus" }
  const failed = filtered.errors.filter((error) => error).length
  if (twoThirds(failed, reveals.length)) {
    return { consensus: true, outliers: filtered.errors.map((error) => !error), error: "ErrConsensusInError" }
  }
  return filtered.consensus
    ? { consensus: true, outliers: filtered.outliers, error: null }
    : { consensus: false, outliers: null, error: "ErrNoConsensus" }
}

/** The text after `"v":`, or nothing if the reveal counts as an error. */
const valueOf = ({ exitCode, text }: Shown): string | undefined => (exitCode === 0 ? /^\{"v":(.*)\}$/.exec(text)?.[1] : undefined)

const shown = (values: fc.Arbitrary<string>): fc.Arbitrary<Shown> =>
  fc.record({
    exitCode: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constantFrom(1, 2, 250)),
    text: fc.oneof({ weight: 6, arbitrary: values.map((value) => `{"v":${value}}`) }, fc.constantFrom("", "{}", "not json", "[1]")),
    keys: fc.oneof({ weight: 8, arbitrary: fc.constant([]) }, fc.constantFrom(["k1"], ["k2", "k1"], ["k1", "k2"]))
  })

const case_ = (values: fc.Arbitrary<string>) =>
  fc.tuple(fc.array(shown(values), { minLength: 1, maxLength: 7 }), fc.nat(2)).map(([reveals, missing]) => ({
    reveals,
    replicationFactor: reveals.length + missing
  }))

const verdictOf = (filter: Uint8Array, reveals: ReadonlyArray<Shown>, replicationFactor: number) => {
  const { consensus, error, outliers } = reachConsensus(filter, replicationFactor, reveals.map(revealOf))
  return { consensus, outliers, error }
}

/** Counts how often each verdict occurred, so that a generator that produces only one of them is noticed. */
const verdictsSeen = () => {
  const seen = new Set<string | null>()
  return { note: (verdict: { readonly error: string | null }) => seen.add(verdict.error), seen }
}

describe("reachConsensus", () => {
  it("without a filter: only failures matter", () => {
    const { note, seen } = verdictsSeen()
    fc.assert(
      fc.property(case_(fc.constantFrom("1", "2")), ({ replicationFactor, reveals }) => {
        const errors = reveals.map(({ exitCode }) => exitCode !== 0)
        const expected = decided(reveals, replicationFactor, {
          errors,
          outliers: reveals.map(() => false),
          consensus: true
        })
        expect(verdictOf(none, reveals, replicationFactor)).toEqual(expected)
        note(expected)
      }),
      { numRuns: 2_000 }
    )
    expect(seen.size).toBe(3)
  })

  it("by mode: the values that occur most often", () => {
    const { note, seen } = verdictsSeen()
    const values = fc.constantFrom("1", "1", "1", '"1"', "1.0", "[1]", "null")
    fc.assert(
      fc.property(case_(values), ({ replicationFactor, reveals }) => {
        const texts = reveals.map(valueOf)
        const times = texts.map((text) => (text === undefined ? 0 : texts.filter((other) => other === text).length))
        const most = Math.max(...times)
        const expected = decided(reveals, replicationFactor, {
          errors: texts.map((text) => text === undefined),
          outliers: times.map((count) => count === 0 || count !== most),
          consensus: twoThirds(most, replicationFactor)
        })
        expect(verdictOf(mode, reveals, replicationFactor)).toEqual(expected)
        note(expected)
      }),
      { numRuns: 3_000 }
    )
    expect(seen.size).toBe(4)
  })

  it("by median deviation: small integers, compared with floating point, where halves are exact", () => {
    const { note, seen } = verdictsSeen()
    const median = (numbers: ReadonlyArray<number>): number => {
      const sorted = numbers.toSorted((left, right) => left - right)
      const half = sorted.length / 2
      return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2
    }
    const values = fc.oneof(fc.integer({ min: -4, max: 4 }).map(String), fc.constantFrom("100", "-128", "1.5", '"1"', "true"))
    fc.assert(
      fc.property(case_(values), fc.constantFrom(0.5, 1, 1.5, 3), ({ replicationFactor, reveals }, sigma) => {
        const numbers = reveals.map(valueOf).map((text) => (/^-?[0-9]+$/.test(text ?? "") ? Number(text) : undefined))
        const usable = numbers.filter((number) => number !== undefined)
        const middle = median(usable)
        const allowed = sigma * median(usable.map((number) => Math.abs(number - middle)))
        const outliers = numbers.map((number) => number === undefined || Math.abs(number - middle) > allowed)
        const agreeing = outliers.filter((outlier) => !outlier).length
        const expected = decided(reveals, replicationFactor, {
          errors: numbers.map((number) => number === undefined),
          outliers,
          consensus: agreeing > 0 && twoThirds(agreeing, replicationFactor)
        })
        expect(verdictOf(mad(BigInt(sigma * 1e6), "int32"), reveals, replicationFactor)).toEqual(expected)
        note(expected)
      }),
      { numRuns: 3_000 }
    )
    expect(seen.size).toBe(4)
  })

  it("by median deviation: the exact range of each type", () => {
    const types = ["int32", "uint32", "int64", "uint64", "int128", "uint128", "int256", "uint256"] as const
    for (const type of types) {
      const bits = BigInt(type.replace(/[a-z]+/, ""))
      const [low, high] = type.startsWith("u") ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]
      for (const [value, fits] of [
        [low, true],
        [high, true],
        [low - 1n, false],
        [high + 1n, false]
      ] as const) {
        const verdict = verdictOf(mad(1_000_000n, type), [{ exitCode: 0, text: `{"v":${value}}`, keys: [] }], 1)
        expect(verdict.error, `${type} ${value}`).toBe(fits ? null : "ErrConsensusInError")
      }
    }
  })

  it("names the proxy keys of the first group to reach the highest count, sorted", () => {
    const keysOf = (...groups: ReadonlyArray<ReadonlyArray<string>>) =>
      reachConsensus(
        none,
        2,
        groups.map((keys) => revealOf({ exitCode: 0, text: "", keys }))
      ).proxyPublicKeys
    expect(keysOf(["b", "a"], ["c"], ["a", "b"])).toEqual(["a", "b"])
    expect(keysOf(["x"], ["y"], ["y"], ["x"])).toEqual(["y"])
    expect(keysOf(["x"], ["y"])).toEqual([])
  })

  it("reports invalid filter bytes", () => {
    const verdict = verdictOf(Uint8Array.of(9), [{ exitCode: 0, text: "1", keys: [] }], 1)
    expect(verdict).toEqual({ consensus: false, outliers: null, error: "ErrInvalidFilterInput" })
  })
})
