/** Passes with answers that came before their calls end as passes without them, with the same tape. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { everyday } from "../testdata/everyday.ts"
import { fetchingProgram, getting } from "../testdata/fetchingProgram.ts"
import { inputOf } from "../testdata/runProgram.ts"
import { runToEnd } from "../testdata/runToEnd.ts"
import { vectorTimeMs } from "../testdata/vectors.ts"
import type { AnsweredCall, TapeEntry } from "../tape/tape.ts"
import { pass, type PassInput } from "./pass.ts"
import { type Preparation, prepareProgram } from "./prepare.ts"

const actionOf = (path: string): string => getting(`https://u.test/${path}`)

const answerTo = (action: Uint8Array): AnsweredCall => {
  const bytes = action.slice(-40)
  const answer = { fulfilled: true, status: 200, headers: [], bytes, url: "https://u.test/", contentLength: bytes.length }
  return { kind: "fetch", action, atMs: vectorTimeMs + action.length, answer }
}

/** Passes to the end, the first of them with these answers ahead; how many passes, and how many answers were used. */
const runAhead = (preparation: Preparation, input: PassInput, ahead: ReadonlyArray<AnsweredCall>) => {
  const entries: Array<TapeEntry> = [...input.tape.entries]
  const tape = { ...input.tape, entries }
  let [left, passes, used] = [ahead, 0, 0]
  for (;;) {
    const result = pass(preparation, { ...input, tape, ahead: left })
    const given = left.slice(0, result.usedAhead ?? 0)
    passes += 1
    used += given.length
    entries.push(...given)
    left = []
    if (result.kind === "done") return { ending: result.ending, tape, passes, used }
    if (result.kind === "stackOverflow") throw new Error("the stack overflowed")
    entries.push(answerTo(result.call.action))
  }
}

const paths = fc.array(fc.constantFrom("a", "bb", "ccc"), { maxLength: 4 })

describe("answers ahead", () => {
  it("are used as far as they are those of the next calls, and change nothing but the number of passes", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(paths, paths, fc.nat(3), async (asked, expected, hostCalls) => {
        // Vitest counts reports as failed that it could not answer for a minute.
        await new Promise((resolve) => setImmediate(resolve))
        const preparation = prepareProgram(fetchingProgram(asked.map(actionOf)), "exec", 160)
        const { limits, ...rest } = inputOf("exec")
        const input = { ...rest, limits: { ...limits, hostCalls } }
        const whole = runToEnd(preparation, input, ({ action }) => answerTo(action))
        const ahead = expected.map((path) => answerTo(new TextEncoder().encode(actionOf(path))))
        const { ending, passes, tape, used } = runAhead(preparation, input, ahead)
        expect({ ending, tape }).toEqual({ ending: whole.ending, tape: whole.tape })
        const answered = whole.tape.entries.length
        let same = 0
        while (same < answered && asked[same] === expected[same]) same += 1
        expect([used, passes]).toEqual([same, answered - same + 1])
      }),
      { numRuns: everyday(100) }
    )
  })
})
