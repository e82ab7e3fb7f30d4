/** What is told to a worker process beside its orders, in whatever pieces it comes. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { RecallReader, recallMessage } from "./processMessages.ts"

it("reads the newest recall that is complete, whatever pieces the messages come in", () => {
  const recalls = fc.array(fc.record({ after: fc.nat(), upTo: fc.nat() }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(recalls, fc.array(fc.integer({ min: 1, max: 19 }), { minLength: 1 }), (sent, cuts) => {
      const stream = new Uint8Array(sent.flatMap((recall) => [...recallMessage(recall)]))
      const reader = new RecallReader()
      let newest
      for (let at = 0, cut = 0; at < stream.length; cut += 1) {
        const from = at
        at = Math.min(stream.length, at + (cuts[cut % cuts.length] ?? 1))
        newest = reader.push(stream.subarray(from, at)) ?? newest
        expect(newest).toEqual(sent[Math.floor(at / 8) - 1])
      }
    })
  )
})
