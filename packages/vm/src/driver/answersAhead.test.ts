/** Which prefetched answers the next pass begins with: those that its calls would get one after the other. */
import { defaultLimits, type OutboundResponse } from "@sibyl/core"
import { describe, expect, it } from "vitest"
import { decodeFetchAction } from "../tape/fetchAction.ts"
import { getting } from "../testdata/fetchingProgram.ts"
import { type Arrival, answersAhead, type ExpectedCall } from "./answersAhead.ts"
import type { FetchRoom } from "./fetchRoom.ts"

const startMs = 1_000_000

const room: FetchRoom = {
  projectId: "project",
  limits: { ...defaultLimits, httpRequestTimeoutMs: 100 },
  budgetMs: 250,
  leftBytes: 10_000
}

const answered = (atMs: number, status = 200, length = 3): Arrival => {
  const response: OutboundResponse = {
    kind: "answered",
    status,
    headers: [],
    bytes: new Uint8Array(length),
    url: "https://u.test/",
    contentLength: 0
  }
  return { response, atMs: startMs + atMs }
}

const callOf = (arrival: ExpectedCall["arrival"]): ExpectedCall => {
  const action = new TextEncoder().encode(getting("https://u.test/a"))
  const reading = decodeFetchAction(action)
  if (reading.kind !== "request") throw new Error("the action cannot be read")
  return { action, request: reading.request, arrival }
}

/** When the calls get their answers, in ms after the start, and which one is missing. */
const timesOf = (arrivals: ReadonlyArray<ExpectedCall["arrival"]>, over: Partial<FetchRoom> = {}) => {
  const { answers, missing } = answersAhead(arrivals.map(callOf), { ...room, ...over }, startMs)
  return {
    at: answers.map(({ atMs }) => atMs - startMs),
    ...(missing === undefined ? {} : { missing: [missing.calledAtMs - startMs, missing.untilMs - startMs] })
  }
}

describe("the answers ahead", () => {
  it("come when they arrive, but none before its call, which follows the answer before", () => {
    expect(timesOf([answered(20), answered(10), answered(90)])).toEqual({ at: [20, 20, 90] })
    expect(timesOf([answered(-50)])).toEqual({ at: [0] })
  })

  it("end at the first one that is missing, which has the time limit of a call after the answer before", () => {
    expect(timesOf([answered(20), undefined, answered(30)])).toEqual({ at: [20], missing: [20, 120] })
    expect(timesOf([undefined])).toEqual({ at: [], missing: [0, 100] })
  })

  it("have the time that is left to the run's requests", () => {
    expect(timesOf([answered(90), answered(180), undefined])).toEqual({ at: [90, 180], missing: [180, 250] })
    expect(timesOf([answered(90), answered(180), answered(251)])).toEqual({ at: [90, 180] })
    expect(timesOf([answered(90), answered(180), answered(250), undefined])).toEqual({ at: [90, 180, 250] })
  })

  it("end before one that failed, is no good answer, comes too late, or has waited for too long", () => {
    const rejected: Arrival = { response: { kind: "rejected", message: "refused", timedOut: false }, atMs: startMs }
    for (const bad of ["failed", rejected, answered(1, 404), answered(101), answered(-101)] as const) {
      expect(timesOf([bad, answered(0)])).toEqual({ at: [] })
    }
    expect(timesOf([answered(100), answered(0)])).toEqual({ at: [100, 100] })
  })

  it("fit into the bytes that are left, with their actions", () => {
    const { action } = callOf(undefined)
    const bytes = action.length + 3 + "https://u.test/".length
    expect(timesOf([answered(0), answered(0)], { leftBytes: bytes + action.length + 3 }).at).toEqual([0, 0])
    expect(timesOf([answered(0), answered(0)], { leftBytes: bytes + action.length + 2 }).at).toEqual([0])
    expect(timesOf([answered(0, 200, defaultLimits.httpResponseBytes + 1)], { leftBytes: 1e9 }).at).toEqual([])
  })
})
