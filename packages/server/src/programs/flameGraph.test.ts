/** Flame graphs keep to speedscope's format, and show each function as wide as its gas. */
import type { PhaseProfile } from "@sibyl/devkit"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { flameGraph } from "./flameGraph.ts"
import { flameGraphFaults } from "./testdata/flameGraphFaults.ts"
import { generatedProfile } from "./testdata/generatedProfile.ts"

const profile: PhaseProfile = {
  phase: "exec",
  gasUsed: 100n,
  rows: [],
  tree: [
    { name: "(start)", parent: -1, self: 10n },
    { name: "_start", parent: -1, self: 20n },
    { name: "parse", parent: 1, self: 30n },
    { name: "_start", parent: 2, self: 40n }
  ]
}

describe("a flame graph", () => {
  it("conforms to the format for any calls", () => {
    fc.assert(
      fc.property(fc.array(generatedProfile, { minLength: 1, maxLength: 3 }), (profiles) => {
        const graph: unknown = JSON.parse(JSON.stringify(flameGraph("a program", profiles)))
        expect(flameGraphFaults(graph)).toEqual([])
      })
    )
  })

  it("nests each call in its caller, with the caller's self gas first", () => {
    const { profiles, shared } = flameGraph("a.wasm", [profile])
    expect(shared.frames).toEqual([{ name: "(start)" }, { name: "_start" }, { name: "parse" }])
    expect(profiles[0]).toMatchObject({ name: "execution (gas)", unit: "none", startValue: 0, endValue: 100 })
    expect(profiles[0]?.events.map(({ at, frame, type }) => `${type}${frame}@${at}`).join(" ")).toBe(
      "O0@0 C0@10 O1@10 O2@30 O1@60 C1@100 C2@100 C1@100"
    )
  })

  it("numbers the executions of several executors, and leaves out a phase without a profile", () => {
    const missing: PhaseProfile = { phase: "tally", gasUsed: 7n, rows: [], tree: [], missing: "the wall clock ended the phase" }
    const { profiles } = flameGraph("a.wasm", [profile, { ...profile }, missing])
    expect(profiles.map(({ name }) => name)).toEqual(["execution 1 (gas)", "execution 2 (gas)"])
  })

  it("is checked: a broken one is detected", () => {
    const graph = flameGraph("a.wasm", [profile])
    const broken = (events: ReadonlyArray<unknown>) => ({ ...graph, profiles: [{ ...graph.profiles[0], events }] })
    const O = { type: "O", frame: 0, at: 5 }
    for (const wrong of [
      { ...graph, $schema: "another" },
      { ...graph, profiles: [] },
      { ...graph, activeProfileIndex: 1 },
      broken([O]),
      broken([O, { type: "C", frame: 1, at: 6 }]),
      broken([O, { type: "C", frame: 0, at: 4 }]),
      broken([O, { type: "C", frame: 0, at: 101 }]),
      broken([
        { ...O, frame: 9 },
        { type: "C", frame: 9, at: 6 }
      ])
    ]) {
      expect(flameGraphFaults(wrong)).not.toEqual([])
    }
  })
})
