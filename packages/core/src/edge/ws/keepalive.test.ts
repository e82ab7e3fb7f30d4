/** Keepalive: one ping per interval, and the end of a client that did not answer the previous one (decision D41). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { freshKeepalive, type Keepalive, keepaliveStep, withPong } from "./keepalive.ts"

const intervalMs = 30_000

/**
 * The events of a connection: the service checks it, or its client answers. Times are ms after the event
 * before.
 */
type Event = { readonly kind: "look" | "pong"; readonly afterMs: number }

/** What the service did, and when. */
interface Deed {
  readonly kind: "ping" | "dead"
  readonly atMs: number
}

const live = (events: ReadonlyArray<Event>): ReadonlyArray<Deed> => {
  let nowMs = 0
  let state: Keepalive = freshKeepalive(nowMs)
  const deeds: Array<Deed> = []
  for (const { afterMs, kind } of events) {
    nowMs += afterMs
    if (kind === "pong") state = withPong(state)
    else {
      const step = keepaliveStep(state, nowMs, intervalMs)
      if (step.kind === "ping") state = step.next
      if (step.kind !== "wait") deeds.push({ kind: step.kind, atMs: nowMs })
      if (step.kind === "dead") break
    }
  }
  return deeds
}

/** The same by the plain rule: at each check after an interval, has a pong come since the last ping? */
const expected = (events: ReadonlyArray<Event>): ReadonlyArray<Deed> => {
  let nowMs = 0
  const history: Array<{ readonly kind: "ping" | "pong"; readonly atMs: number }> = []
  const deeds: Array<Deed> = []
  for (const { afterMs, kind } of events) {
    nowMs += afterMs
    if (kind === "pong") {
      history.push({ kind, atMs: nowMs })
      continue
    }
    const lastPing = history.findLastIndex((entry) => entry.kind === "ping")
    if (nowMs - (history[lastPing]?.atMs ?? 0) < intervalMs) continue
    const answered = lastPing < 0 || history.slice(lastPing).some((entry) => entry.kind === "pong")
    deeds.push({ kind: answered ? "ping" : "dead", atMs: nowMs })
    if (!answered) break
    history.push({ kind: "ping", atMs: nowMs })
  }
  return deeds
}

const event = fc.record({
  kind: fc.constantFrom("look" as const, "look" as const, "pong" as const),
  afterMs: fc.oneof(fc.nat(1_000), fc.nat(40_000), fc.constantFrom(intervalMs - 1, intervalMs, intervalMs + 1))
})

test("any sequence of events gives what the rule gives", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      expect(live(events)).toEqual(expected(events))
    }),
    { numRuns: 2_000 }
  )
})

/**
 * Checks every quarter of a second; the client answers the first `answers` pings, each after `answerMs`.
 */
const watch = (answers: number, answerMs: number, untilMs: number): ReadonlyArray<Deed> => {
  let state = freshKeepalive(0)
  const pongs: Array<number> = []
  const deeds: Array<Deed> = []
  for (let nowMs = 250; nowMs <= untilMs; nowMs += 250) {
    while (pongs[0] !== undefined && pongs[0] <= nowMs) {
      pongs.shift()
      state = withPong(state)
    }
    const step = keepaliveStep(state, nowMs, intervalMs)
    if (step.kind === "wait") continue
    deeds.push({ kind: step.kind, atMs: nowMs })
    if (step.kind === "dead") break
    state = step.next
    if (deeds.length <= answers) pongs.push(nowMs + answerMs)
  }
  return deeds
}

describe("a client that", () => {
  test("answers just in time is pinged every interval and never closed", () => {
    const deeds = watch(Number.POSITIVE_INFINITY, intervalMs - 250, 3_600_000)
    expect(deeds).toEqual(Array.from({ length: 120 }, (_, ping) => ({ kind: "ping", atMs: (ping + 1) * intervalMs })))
  })

  test.each([0, 1, 5])("stops answering after %i answers is closed an interval after the unanswered ping", (answers) => {
    expect(watch(answers, 10, 3_600_000).at(-1)).toEqual({ kind: "dead", atMs: (answers + 2) * intervalMs })
  })

  test("sends unsolicited pongs gains no extra time", () => {
    const pongs: ReadonlyArray<Event> = Array.from({ length: 9 }, () => ({ kind: "pong", afterMs: 1 }))
    const looks: ReadonlyArray<Event> = [
      { kind: "look", afterMs: intervalMs },
      { kind: "look", afterMs: intervalMs }
    ]
    expect(live([...pongs, ...looks]).map(({ kind }) => kind)).toEqual(["ping", "dead"])
  })
})
