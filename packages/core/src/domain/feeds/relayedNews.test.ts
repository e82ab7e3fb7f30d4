/** What is believed of news: nothing twice, nothing of a replaced owner, and every loss is counted. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { EncodedText } from "../encoding/encodedText.ts"
import { type Heard, heardNews, heardOfStoreGoneBack, type RelayedResult } from "./relayedNews.ts"

const message = new EncodedText("")

/** The results of some owners, one after the other, of a feed whose ticks end in order. */
const sent: fc.Arbitrary<ReadonlyArray<RelayedResult>> = fc
  .array(fc.record({ results: fc.nat(5), skipped: fc.nat(3), isNewEpoch: fc.boolean() }), { maxLength: 6 })
  .map((terms) => {
    let [epoch, seq] = [1, 0]
    return terms.flatMap(({ isNewEpoch, results, skipped }, term) => {
      if (isNewEpoch) [epoch, seq] = [epoch + 1, 0]
      else seq += skipped
      return Array.from({ length: results }, (_, ordinal) => {
        const news = { kind: "result" as const, from: `${term}`, epoch, term, ordinal, seq, message }
        seq += 1
        return news
      })
    })
  })

const hear = (all: ReadonlyArray<RelayedResult>) => {
  let heard: Heard | undefined
  return all.map((news) => {
    const [next, verdict] = heardNews(heard, news)
    heard = next
    return verdict
  })
}

describe("news of a feed", () => {
  it("is new once, in order, and losses are counted: every number is heard, or missed, or before the first", () => {
    fc.assert(
      fc.property(sent, fc.infiniteStream(fc.boolean()), (all, arrives) => {
        const arrived = all.filter(() => arrives.next().value === true)
        const verdicts = hear(arrived)
        expect(verdicts.every(({ kind }) => kind === "new")).toBe(true)
        arrived.forEach((news, at) => {
          const before = arrived[at - 1]
          const verdict = verdicts[at]
          const missed = verdict?.kind === "new" ? verdict.missed : -1
          // A new epoch begins with 0, and what was lost of the one before is not known.
          expect(missed).toBe(before === undefined || before.epoch !== news.epoch ? 0 : news.seq - before.seq - 1)
        })
      })
    )
  })

  it("is old when it is repeated, or when it comes after a later owner's", () => {
    fc.assert(
      fc.property(sent, fc.nat(), fc.nat(), (all, one, other) => {
        fc.pre(all.length > 0)
        const [from, to] = [one % all.length, other % all.length].toSorted((left, right) => left - right) as [number, number]
        expect(hear([...all.slice(0, to + 1), ...all.slice(from, from + 1)]).at(-1)).toEqual({ kind: "old" })
      })
    )
  })

  it("of a PARALLEL feed is counted as it was sent, whatever the order of its numbers", () => {
    const seqs = [1, 0, 2, 4, 3]
    const all = seqs.map((seq, ordinal): RelayedResult => ({ kind: "result", from: "a", epoch: 1, term: 1, ordinal, seq, message }))
    expect(hear(all).map((verdict) => (verdict.kind === "new" ? verdict.missed : verdict.kind))).toEqual([0, 0, 0, 0, 0])
    expect(hear(all.filter(({ ordinal }) => ordinal !== 2)).map((verdict) => (verdict.kind === "new" ? verdict.missed : -1))).toEqual([
      0, 0, 1, 0
    ])
  })

  it("of a release changes nothing else", () => {
    const result: RelayedResult = { kind: "result", from: "a", epoch: 1, term: 2, ordinal: 0, seq: 7, message }
    const [heard] = heardNews(undefined, result)
    expect(heardNews(heard, { kind: "released", from: "a", epoch: 1, term: 2 })).toEqual([heard, { kind: "released" }])
    expect(heardNews(heard, { kind: "released", from: "b", epoch: 1, term: 1 })).toEqual([heard, { kind: "old" }])
  })
})

describe("the holder that a store names", () => {
  const heard: Heard = { epoch: 3, term: 7, from: "b", next: 20, lastSeq: 41 }

  it("is the one that was heard, or a later one, of a store that did not go back", () => {
    expect(heardOfStoreGoneBack(undefined, { owner: "a", epoch: 1, term: 1 })).toBeUndefined()
    expect(heardOfStoreGoneBack(heard, { owner: "b", epoch: 3, term: 7 })).toBeUndefined()
    expect(heardOfStoreGoneBack(heard, { owner: "a", epoch: 3, term: 8 })).toBeUndefined()
    expect(heardOfStoreGoneBack(heard, { owner: "a", epoch: 4, term: 1 })).toBeUndefined()
  })

  it.each([
    { what: "an earlier term", holder: { owner: "a", epoch: 3, term: 5 }, missed: 3 },
    { what: "another owner of the same term", holder: { owner: "c", epoch: 3, term: 7 }, missed: 3 },
    { what: "an earlier epoch, whose numbers are others", holder: { owner: "a", epoch: 2, term: 9 }, missed: 0 }
  ])("is believed again when it is of $what: its next result is new, and what was missed is told", ({ holder, missed }) => {
    const { epoch, owner: from, term } = holder
    const news: RelayedResult = { kind: "result", from, epoch, term, ordinal: 4, seq: 45, message }
    expect(heardNews(heard, { ...news, ordinal: 0 })[1]).toEqual({ kind: "old" })
    expect(heardNews(heardOfStoreGoneBack(heard, holder), news)[1]).toEqual({ kind: "new", missed })
  })
})
