/** Every member is sent every message from its joining to its leaving, once and in order, a bounded number in a turn. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Audience, FanOut, type Member, sendsPerTurn } from "./fanOut.ts"

/** Turns of an event loop that a test takes by hand. */
const handTurns = () => {
  const waiting: Array<() => void> = []
  return {
    nextTurn: (then: () => void) => void waiting.push(then),
    take: (): boolean => {
      const [then] = waiting.splice(0, 1)
      then?.()
      return then !== undefined
    }
  }
}

class Listener implements Member<number> {
  readonly heard: Array<number> = []
  /** What it must hear. */
  readonly due: Array<number> = []
  reads = true
  mayRead = (): boolean => this.reads
  send = (message: number): void => void this.heard.push(message)
}

type Step =
  | { readonly kind: "join"; readonly count: number; readonly audience: number }
  | { readonly kind: "leave"; readonly at: number }
  | { readonly kind: "publish"; readonly audience: number }
  | { readonly kind: "turn" }

const audiences = 3
const audience = fc.nat(audiences - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("join" as const), count: fc.integer({ min: 1, max: 200 }), audience }),
  fc.record({ kind: fc.constant("leave" as const), at: fc.nat(10_000) }),
  fc.record({ kind: fc.constant("publish" as const), audience }),
  fc.constant({ kind: "turn" as const })
)

describe("the fan-out", () => {
  it("sends each member what is published while it is there, in order, and nothing twice", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const turns = handTurns()
        const fanOut = new FanOut(turns.nextTurn)
        const rooms = Array.from({ length: audiences }, () => ({ audience: new Audience<number>(fanOut), present: new Array<Listener>() }))
        const all: Array<Listener> = []
        let published = 0
        for (const next of steps) {
          if (next.kind === "turn") turns.take()
          else if (next.kind === "leave") {
            const room = rooms[next.at % audiences]
            const [listener] = room?.present.splice(next.at % Math.max(1, room.present.length), 1) ?? []
            if (listener === undefined) continue
            room?.audience.leave(listener)
            // Messages that it has not been sent by now it never is.
            listener.due.length = listener.heard.length
          } else if (next.kind === "join") {
            for (let count = 0; count < next.count; count += 1) {
              const listener = new Listener()
              all.push(listener)
              rooms[next.audience]?.present.push(listener)
              rooms[next.audience]?.audience.join(listener)
            }
          } else {
            published += 1
            for (const listener of rooms[next.audience]?.present ?? []) listener.due.push(published)
            rooms[next.audience]?.audience.publish(published)
          }
        }
        while (turns.take());
        for (const listener of all) expect(listener.heard).toEqual(listener.due)
        expect(rooms.map(({ audience: room }) => room.backlog)).toEqual([0, 0, 0])
      })
    )
  })

  it("sends a bounded number in one turn, and a small feed does not wait for a large one", () => {
    const turns = handTurns()
    const fanOut = new FanOut(turns.nextTurn)
    const [large, small] = [new Audience<number>(fanOut), new Audience<number>(fanOut)]
    const crowd = Array.from({ length: 10_000 }, () => new Listener())
    for (const listener of crowd) large.join(listener)
    const one = new Listener()
    small.join(one)
    const heard = (): number => crowd.reduce((sum, listener) => sum + listener.heard.length, 0)
    large.publish(1)
    expect(heard()).toBeLessThanOrEqual(sendsPerTurn)
    small.publish(2)
    for (let before = heard(); turns.take(); before = heard()) {
      expect(heard() - before).toBeLessThanOrEqual(sendsPerTurn)
      expect(one.heard).toEqual([2])
    }
    expect(heard()).toBe(10_000)
  })

  it("leaves messages out for a member that does not read, and goes on with it when it does", () => {
    const fanOut = new FanOut(() => {})
    const room = new Audience<number>(fanOut)
    const [slow, quick] = [new Listener(), new Listener()]
    room.join(slow)
    room.join(quick)
    room.publish(1)
    slow.reads = false
    room.publish(2)
    expect(room.hasReader).toBe(true)
    quick.reads = false
    expect(room.hasReader).toBe(false)
    slow.reads = quick.reads = true
    room.publish(3)
    expect([slow.heard, quick.heard]).toEqual([
      [1, 3],
      [1, 2, 3]
    ])
  })

  it("ends in the middle of a message when the last member leaves because of it", () => {
    const fanOut = new FanOut(() => {})
    const room = new Audience<number>(fanOut)
    const leaver: Member<number> = {
      mayRead: () => true,
      send: () => {
        room.leave(leaver)
        room.clear()
      }
    }
    room.join(leaver)
    room.publish(1)
    expect([room.size, room.backlog]).toEqual([0, 0])
    const next = new Listener()
    room.join(next)
    room.publish(2)
    expect(next.heard).toEqual([2])
  })
})
