/** Waivers: what a file may say, and until when it holds. */
import { describe, expect, it } from "vitest"
import { inForce, readWaivers } from "./waivers.ts"

const ids = new Set(["REST-EXEC-001", "WS-FEED-001"])
const waiver = { id: "REST-EXEC-001", reason: "our gateway reorders members, repaired in 2.1", until: "2027-01-31" }

describe("readWaivers", () => {
  it("reads entries with id, reason and last day", () => {
    expect(readWaivers(JSON.stringify([waiver]), ids)).toEqual({ waivers: [waiver] })
    expect(readWaivers("[]", ids)).toEqual({ waivers: [] })
  })

  it.each([
    ["{", "JSON array"],
    ["{}", "JSON array"],
    ["[1]", "waiver 1"],
    [JSON.stringify([waiver, { ...waiver, id: "WS-FEED-001", note: "" }]), 'waiver 2: has no member "note"'],
    [JSON.stringify([{ ...waiver, id: "REST-EXEC-999" }]), "id must be"],
    [JSON.stringify([{ ...waiver, reason: " " }]), "reason of REST-EXEC-001"],
    [JSON.stringify([{ ...waiver, until: "soon" }]), "until of REST-EXEC-001"],
    [JSON.stringify([{ ...waiver, until: "2027-02-30" }]), "until of REST-EXEC-001"],
    [JSON.stringify([{ id: waiver.id, reason: waiver.reason }]), "until of REST-EXEC-001"],
    [JSON.stringify([waiver, waiver]), "REST-EXEC-001 is waived twice"]
  ])("refuses %s", (text, fault) => {
    expect(readWaivers(text, ids)).toEqual({ fault: expect.stringContaining(fault) })
  })
})

it("a waiver holds on its last day, and not on the day after", () => {
  expect(inForce([waiver], "2027-01-31")).toEqual([waiver])
  expect(inForce([waiver], "2027-02-01")).toEqual([])
})
