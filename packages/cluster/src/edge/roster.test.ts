/** Whom a roster picks, and whom it leaves out. */
import { describe, expect, it } from "vitest"
import { contractVersion } from "../contract/subjects.ts"
import { beatLostMs, Roster } from "./roster.ts"

const beat = (id: string, free: number, more = {}) => ({
  id,
  zone: "here",
  free,
  engine: "a",
  version: "1",
  contracts: [contractVersion],
  ...more
})
const any = { engine: undefined, except: new Set<string>() }

/** Draws each of these in turn; then always the first one that fits. */
const rosterDrawing = (draws: ReadonlyArray<number>, ...beats: ReadonlyArray<ReturnType<typeof beat>>): Roster => {
  const left = [...draws]
  const roster = new Roster("here", () => left.shift() ?? 0)
  for (const one of beats) roster.beat(one, 0)
  return roster
}

const rosterOf = (...beats: ReadonlyArray<ReturnType<typeof beat>>): Roster => rosterDrawing([], ...beats)

describe("a roster", () => {
  it("picks of two that it draws the one with more free places, of its own zone if there is one", () => {
    const [one, two] = [beat("one", 1), beat("two", 3)]
    expect(rosterDrawing([0, 0.99], one, two).pick(any, 0)).toBe("two")
    expect(rosterDrawing([0.99, 0], one, two).pick(any, 0)).toBe("two")
    expect(rosterDrawing([0, 0], one, two).pick(any, 0)).toBe("one")
    expect(rosterOf(beat("one", 1), beat("far", 9, { zone: "there" })).pick(any, 0)).toBe("one")
    expect(rosterOf(beat("one", 0), beat("far", 9, { zone: "there" })).pick(any, 0)).toBe("far")
  })

  it("draws each by its free places", () => {
    const draws = Array.from({ length: 16 }, (_, at) => [at / 16, at / 16]).flat()
    const roster = rosterDrawing(draws, beat("one", 1), beat("four", 4), beat("none", 0), beat("three", 3))
    const picked = Array.from({ length: 16 }, () => roster.pick(any, 0))
    expect(["one", "four", "none", "three"].map((id) => picked.filter((one) => one === id).length)).toEqual([2, 8, 0, 6])
  })

  it("leaves out the full, the silent, other contracts and engines, and those that must not get it", () => {
    const roster = rosterOf(
      beat("full", 0),
      beat("new", 5, { contracts: [contractVersion + 1] }),
      beat("other", 4, { engine: "b" }),
      beat("one", 1)
    )
    expect(roster.pick({ engine: "a", except: new Set() }, 0)).toBe("one")
    expect(roster.pick({ engine: "a", except: new Set(["one"]) }, 0)).toBeUndefined()
    expect(roster.pick(any, beatLostMs + 1)).toBeUndefined()
    expect([roster.count(beatLostMs), roster.count(beatLostMs + 1)]).toEqual([4, 0])
  })

  it("counts those that live, and those of them that take runs, full or not", () => {
    const leaving = beat("leaving", 0, { takesNone: true })
    const roster = rosterOf(beat("full", 0), leaving, beat("new", 5, { contracts: [contractVersion + 1] }))
    expect([roster.count(0), roster.countTaking(0)]).toEqual([3, 1])
    roster.freed("leaving")
    expect(roster.pick(any, 0)).toBeUndefined()
  })

  it("counts what it has given since the last beat", () => {
    const roster = rosterOf(beat("one", 2), beat("two", 1))
    roster.offered("one")
    roster.offered("one")
    expect(roster.pick(any, 0)).toBe("two")
    roster.full("two")
    expect([roster.pick(any, 0), roster.isFull(0)]).toEqual([undefined, true])
    roster.freed("one")
    expect([roster.pick(any, 0), roster.isFull(0)]).toEqual(["one", false])
    roster.lost("one")
    expect(roster.pick(any, 0)).toBeUndefined()
    roster.beat(beat("one", 1), 10)
    expect(roster.pick(any, 10)).toBe("one")
    expect(new Roster("").isFull(0)).toBe(false)
  })
})
