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
  let lookedAtMs = nowMs
  let state: Keepalive = freshKeepalive(nowMs)
  const deeds: Array<Deed> = []
  for (const { afterMs, kind } of events) {
    nowMs += afterMs
    if (kind === "pong") state = withPong(state)
    else {
      const step = keepaliveStep(state, nowMs, intervalMs, nowMs - lookedAtMs)
      lookedAtMs = nowMs
      if ("next" in step) state = step.next
      if (step.kind === "ping" || step.kind === "dead") deeds.push({ kind: step.kind, atMs: nowMs })
      if (step.kind === "dead") break
    }
  }
  return deeds
}

/**
 * The same by the plain rule: at each check after an interval, has a pong come since the last ping? A check that comes late says nothing of a
 * missing pong, but only one for each ping.
 */
const expected = (events: ReadonlyArray<Event>): ReadonlyArray<Deed> => {
  let nowMs = 0
  const history: Array<{ readonly kind: "ping" | "pong" | "late"; readonly atMs: number }> = []
  const deeds: Array<Deed> = []
  let lookedAtMs = 0
  for (const { afterMs, kind } of events) {
    nowMs += afterMs
    if (kind === "pong") {
      history.push({ kind, atMs: nowMs })
      continue
    }
    const isLate = nowMs - lookedAtMs > intervalMs / 2
    lookedAtMs = nowMs
    const lastPing = history.findLastIndex((entry) => entry.kind === "ping")
    if (nowMs - (history[lastPing]?.atMs ?? 0) < intervalMs) continue
    const since = history.slice(Math.max(lastPing, 0))
    const answered = lastPing < 0 || since.some((entry) => entry.kind === "pong")
    if (!answered && isLate && !since.some((entry) => entry.kind === "late")) {
      history.push({ kind: "late", atMs: nowMs })
      continue
    }
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
    const step = keepaliveStep(state, nowMs, intervalMs, 250)
    if (step.kind === "wait" || step.kind === "putOff") continue
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
      { kind: "look", afterMs: intervalMs / 2 },
      { kind: "look", afterMs: intervalMs / 2 }
    ]
    expect(live([...pongs, ...looks]).map(({ kind }) => kind)).toEqual(["ping", "dead"])
  })

  describe("has answered while the service stood still", () => {
    const pinged: ReadonlyArray<Event> = [{ kind: "look", afterMs: intervalMs }]
    const lateLook: Event = { kind: "look", afterMs: intervalMs * 1.5 }

    test("is not closed by the look that comes before its pong is read", () => {
      const deeds = live([...pinged, lateLook, { kind: "pong", afterMs: 1 }, { kind: "look", afterMs: 249 }])
      expect(deeds.map(({ kind }) => kind)).toEqual(["ping", "ping"])
    })

    test.each([250, intervalMs])("and one that has not is closed by the next look, also if that is late: after %i ms", (afterMs) => {
      expect(live([...pinged, lateLook, { kind: "look", afterMs }]).map(({ kind }) => kind)).toEqual(["ping", "dead"])
    })
  })
})
