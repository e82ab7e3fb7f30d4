/** Messages are kept and stay in order, turns are bounded, and a flood is distinguished from a burst. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { Inbox, messagesPerTurn } from "./inbox.ts"
import { LongMessages } from "./longMessages.ts"

/** An inbox whose turns a test begins. */
const open = () => {
  const read: Array<string> = []
  const turns: Array<() => void> = []
  const nextTurn = (then: () => void) => void turns.push(then)
  const inbox = new Inbox((text) => read.push(text), nextTurn, new LongMessages(nextTurn))
  return { inbox, read, turn: () => turns.shift()?.() }
}

it("reads one very long message in a turn, of all connections in turn, and short ones at once", () => {
  const read: Array<string> = []
  let turns: Array<() => void> = []
  const nextTurn = (then: () => void) => void turns.push(then)
  const long = new LongMessages(nextTurn)
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => new Inbox((text) => read.push(`${name}${text.length}`), nextTurn, long))
  const longText = " ".repeat(1_100_000)
  for (let message = 0; message < 3; message += 1) for (const inbox of [a, b, c]) inbox?.take(longText)
  d?.take("hi")
  expect(read.splice(0)).toEqual(["a1100000", "d2"])
  const order: Array<ReadonlyArray<string>> = []
  while (turns.length > 0) {
    const now = turns
    turns = []
    for (const then of now) then()
    order.push(read.splice(0))
  }
  expect(order.flat().map(([name]) => name)).toEqual(["b", "c", "a", "b", "c", "a", "b", "c"])
  expect(Math.max(...order.map(({ length }) => length))).toBe(1)
})

it("passes every message on, in order, with a limit per turn", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 12 }), (bursts) => {
      const { inbox, read, turn } = open()
      let sent = 0
      for (const burst of bursts) {
        const before = read.length
        // At most what was read since the last turn began, and what this turn reads of the waiting ones.
        turn()
        expect(read.length - before).toBeLessThanOrEqual(messagesPerTurn)
        for (let more = 0; more < burst; more += 1) inbox.take(String((sent += 1)))
        expect(read.length - before).toBeLessThanOrEqual(messagesPerTurn)
      }
      while (!inbox.isEmpty) turn()
      expect(read).toEqual(Array.from({ length: sent }, (_, at) => String(at + 1)))
    })
  )
})

it("accepts a burst of a thousand messages, but no larger flood by count or characters", () => {
  const { inbox, read, turn } = open()
  expect(Array.from({ length: 1_000 }, () => inbox.take("x")).every(Boolean)).toBe(true)
  while (!inbox.isEmpty) turn()
  expect(read.length).toBe(1_000)
  const flooded = open()
  expect(Array.from({ length: 2_000 }, () => flooded.inbox.take("x")).at(-1)).toBe(false)
  const large = open()
  expect(Array.from({ length: 100 }, () => large.inbox.take("x".repeat(1_000_000))).at(-1)).toBe(false)
  const whole = open()
  expect(Array.from({ length: 3 }, () => whole.inbox.take("x".repeat(9_000_000)))).toEqual([true, true, false])
})
