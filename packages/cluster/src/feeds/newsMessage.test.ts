/** News is read as it was written, in parts of any size; of what is damaged or missing nothing is made up. */
import { EncodedText, type RelayedNews } from "@sibyl/core"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newsMessages, NewsReader } from "./newsMessage.ts"

const count = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const term = { from: fc.string(), epoch: count, term: count }
const result: fc.Arbitrary<RelayedNews> = fc.record({
  ...term,
  kind: fc.constant("result" as const),
  ordinal: count,
  seq: count,
  message: fc.string({ unit: "grapheme", maxLength: 5_000 }).map((text) => new EncodedText(text))
})
const released: fc.Arbitrary<RelayedNews> = fc.record({ ...term, kind: fc.constant("released" as const) })
const maxBytes = fc.integer({ min: 1_025, max: 4_096 })

const plain = (news: RelayedNews | undefined): unknown =>
  news?.kind === "result" ? { ...news, message: { text: news.message.text, bytes: [...news.message.bytes] } } : news

describe("news of a feed", () => {
  it("is read as it was written, and no message is too long", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(result, released), { maxLength: 5 }), maxBytes, (all, most) => {
        const reader = new NewsReader()
        const read = all.flatMap((news) => {
          const messages = newsMessages(news, most)
          expect(messages.every(({ length }) => length <= most || news.from.length > 500)).toBe(true)
          return messages.flatMap((message) => reader.read(message) ?? [])
        })
        expect(read.map(plain)).toEqual(all.map(plain))
      })
    )
  })

  it("of which a part is missing is missing as a whole, and the next one is read", () => {
    fc.assert(
      fc.property(result, result, maxBytes, fc.nat(), (first, second, most, at) => {
        const messages = newsMessages(first, most)
        fc.pre(messages.length > 1)
        const reader = new NewsReader()
        const rest = messages.filter((_, part) => part !== at % messages.length)
        expect(rest.flatMap((message) => reader.read(message) ?? [])).toEqual([])
        expect(
          newsMessages(second, most)
            .flatMap((message) => reader.read(message) ?? [])
            .map(plain)
        ).toEqual([plain(second)])
      })
    )
  })

  it("is not made of anything else", () => {
    const reader = new NewsReader()
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => reader.read(bytes) === undefined))
    const later = new TextEncoder().encode('{"v":2,"kind":"released","from":"a","epoch":1,"term":1}\n')
    expect(reader.read(later)).toBeUndefined()
  })
})
