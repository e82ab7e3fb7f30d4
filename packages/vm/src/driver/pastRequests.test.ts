/** What is prefetched, as rules over any sequence of runs. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { afterRun, type EndedRun, type MadeRequest, noRequests, type PastRequests } from "./pastRequests.ts"

const madeOf = (texts: ReadonlyArray<string>): ReadonlyArray<MadeRequest> => texts.map((text) => ({ text, answerBytes: 1 }))

const expectedOf = ({ requests }: PastRequests): ReadonlyArray<string> =>
  requests.filter(({ isExpected }) => isExpected).map(({ text }) => text)

/** How many of these stand in the other list no more, each counted as often as it occurs. */
const missing = (texts: ReadonlyArray<string>, others: ReadonlyArray<string>): number => {
  const left = [...others]
  return texts.filter((text) => {
    const place = left.indexOf(text)
    if (place >= 0) left.splice(place, 1)
    return place < 0
  }).length
}

/** A run that makes these requests, with all expected ones prefetched. */
const runOf = (before: PastRequests, texts: ReadonlyArray<string>, isGood = true): EndedRun => ({
  made: madeOf(texts),
  missed: missing(expectedOf(before), texts),
  isGood,
  passMs: 1
})

const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 6 })

describe("what is remembered after a run", () => {
  it("is all that a good run made, in its order, and after the first one all of it is expected", () => {
    fc.assert(
      fc.property(texts, texts, (first, second) => {
        const known = afterRun(noRequests, runOf(noRequests, first))
        expect(expectedOf(known)).toEqual(first)
        expect(afterRun(known, runOf(known, second)).requests.map(({ text }) => text)).toEqual(second)
      })
    )
  })

  it("follows a change at once what it still makes, and all of it after two more runs at the latest", () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), texts, (history, now) => {
        let known = noRequests
        for (const made of history) known = afterRun(known, runOf(known, made))
        const first = afterRun(known, runOf(known, now))
        const second = afterRun(first, runOf(first, now))
        expect(missing(expectedOf(first), now)).toBe(0)
        expect(expectedOf(second)).toEqual(now)
        expect(afterRun(second, runOf(second, now))).toEqual(second)
      })
    )
  })

  it("costs one request in vain for each address that is never the same, not one in each run", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 3 }), (steady, changing) => {
        let known = noRequests
        let missed = 0
        for (let run = 0; run < 10; run += 1) {
          const made = [...steady, ...Array.from({ length: changing }, (_, at) => `at ${run} ${at}`)]
          const ended = runOf(known, made)
          missed += ended.missed
          known = afterRun(known, ended)
        }
        expect(missed).toBe(changing)
        expect(expectedOf(known)).toEqual(steady)
      })
    )
  })

  it("loses after a run that failed what that one did not make, and gains nothing", () => {
    fc.assert(
      fc.property(texts, texts, (before, made) => {
        const known = afterRun(noRequests, runOf(noRequests, before))
        const after = afterRun(known, runOf(known, made, false)).requests.map(({ text }) => text)
        expect(missing(after, before)).toBe(0)
        expect(missing(after, made)).toBe(0)
        expect(after.length + missing(before, made)).toBe(before.length)
      })
    )
  })
})
