/** The outbox: everything enqueued before the close is sent once and in order, and what is enqueued in one turn is sent together. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Outbox } from "./outbox.ts"
import type { Socket } from "../transport/seam.ts"

/** A socket that records each flush. */
const recording = () => {
  const handed: Array<ReadonlyArray<string>> = []
  const nothing = (): void => {}
  const socket: Socket = {
    sendTexts: (texts) => void handed.push([...texts]),
    bufferedAmount: () => 0,
    ping: nothing,
    close: nothing,
    terminate: nothing
  }
  return { handed, socket }
}

type Step = "enqueue" | "flush" | "turn" | "close"

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<Step>("enqueue") },
    { weight: 2, arbitrary: fc.constantFrom<Step>("flush", "turn") },
    { weight: 1, arbitrary: fc.constant<Step>("close") }
  ),
  { maxLength: 40 }
)

/**
 * What should be handed over, by the rule: a hand-over at every flush and every end of a turn that has something to
 * hand.
 */
const expectedHandOvers = (taken: ReadonlyArray<Step>): ReadonlyArray<ReadonlyArray<string>> => {
  const open = taken.includes("close") ? taken.slice(0, taken.indexOf("close")) : taken
  const handed: Array<ReadonlyArray<string>> = []
  let waiting: Array<string> = []
  let enqueued = 0
  for (const step of open) {
    if (step === "enqueue") waiting.push(`text ${enqueued++}`)
    else if (waiting.length > 0) {
      handed.push(waiting)
      waiting = []
    }
  }
  // The last turn ends too, unless a close came first.
  return waiting.length > 0 && open === taken ? [...handed, waiting] : handed
}

test("any order of enqueueing, flushing, turns and closing sends what it should, with one check of the socket per flush", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const { handed, socket } = recording()
      let looks = 0
      const outbox = new Outbox(socket, () => {
        looks += 1
        expect(looks).toBe(handed.length)
      })
      let enqueued = 0
      for (const step of taken) {
        if (step === "enqueue") outbox.enqueue(`text ${enqueued++}`)
        else if (step === "flush") outbox.flush()
        else if (step === "close") outbox.close()
        else await turn()
      }
      await turn()
      expect(handed).toEqual(expectedHandOvers(taken))
      expect(looks).toBe(handed.length)
    }),
    { numRuns: 300 }
  )
})

describe("within a turn", () => {
  test("nothing is sent before its end, and then everything at once", async () => {
    const { handed, socket } = recording()
    const outbox = new Outbox(socket, () => {})
    for (let index = 0; index < 1_000; index += 1) outbox.enqueue(String(index))
    expect(handed).toEqual([])
    await turn()
    expect(handed.map((texts) => texts.length)).toEqual([1_000])
  })

  test("a message enqueued during the check is sent afterwards, in its own flush", async () => {
    const { handed, socket } = recording()
    let answered = false
    const outbox: Outbox = new Outbox(socket, () => {
      if (answered) return
      answered = true
      outbox.enqueue("second")
    })
    outbox.enqueue("first")
    await turn()
    expect(handed).toEqual([["first"], ["second"]])
  })

  test("a close during the check drops what waits", async () => {
    const { handed, socket } = recording()
    const outbox: Outbox = new Outbox(socket, () => {
      outbox.enqueue("never")
      outbox.close()
    })
    outbox.enqueue("first")
    await turn()
    expect(handed).toEqual([["first"]])
  })
})
