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

const rosterOf = (...beats: ReadonlyArray<ReturnType<typeof beat>>): Roster => {
  const roster = new Roster("here")
  for (const one of beats) roster.beat(one, 0)
  return roster
}

describe("a roster", () => {
  it("picks the one with the most free places, of its own zone if there is one", () => {
    expect(rosterOf(beat("one", 1), beat("two", 3)).pick(any, 0)).toBe("two")
    expect(rosterOf(beat("one", 1), beat("far", 9, { zone: "there" })).pick(any, 0)).toBe("one")
    expect(rosterOf(beat("one", 0), beat("far", 9, { zone: "there" })).pick(any, 0)).toBe("far")
  })

  it("gives equal ones their turns", () => {
    const roster = rosterOf(beat("one", 9), beat("two", 9), beat("three", 9))
    expect(new Set([1, 2, 3].map(() => roster.pick(any, 0))).size).toBe(3)
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
