/** Tapes as text: every one is read as it was written. */
import { Either } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import type { Tape, TapeEntry } from "./tape.ts"
import { readTape, writeTape } from "./tapeText.ts"

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text)),
  // A mark of the byte order, which decoders like to leave out.
  fc.constant(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))
)
const amount = fc.bigInt({ min: 0n, max: 2n ** 100n })
const call = { action: bytes, atMs: fc.nat() }
const fetched = fc.record({
  fulfilled: fc.boolean(),
  status: fc.nat(599),
  headers: fc.array(fc.tuple(fc.string(), fc.string({ unit: "grapheme" }))),
  bytes,
  url: fc.webUrl(),
  contentLength: fc.integer()
})
const entry: fc.Arbitrary<TapeEntry> = fc.oneof(
  fc.record({ ...call, kind: fc.constantFrom("fetch" as const, "proxyFetch" as const), answer: fetched }),
  fc.record({
    ...call,
    kind: fc.constant("proxyPrice" as const),
    answer: fc.oneof(
      fc.record({ known: fc.constant(true as const), gas: amount, publicKey: fc.string(), feeCredits: amount }),
      fc.record({ known: fc.constant(false as const), message: fc.string({ unit: "binary" }) })
    )
  }),
  fc.record({
    ...call,
    kind: fc.constant("storage" as const),
    operation: fc.constantFrom("read" as const, "write" as const, "delete" as const),
    answer: fc.record({ fulfilled: fc.boolean(), bytes })
  }),
  fc.record({ kind: fc.constant("deadline" as const), limitMs: fc.nat(), gasCharged: amount, workerMs: fc.nat() }),
  fc.constant({ kind: "stackOverflow" as const }),
  fc.record({
    kind: fc.constant("workerLost" as const),
    loss: fc.oneof(fc.constant({ why: "crash" as const }), fc.record({ why: fc.constant("memory" as const), limitMib: fc.nat() })),
    gasCharged: amount,
    workerMs: fc.nat()
  })
)
const tape: fc.Arbitrary<Tape> = fc.record({
  startTimeMs: fc.nat(),
  seed: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  entries: fc.array(entry, { maxLength: 5 })
})

it("reads the tape that was written, of ASCII characters alone, also from JSON that was parsed and written again", () => {
  fc.assert(
    fc.property(tape, (given) => {
      const text = writeTape(given)
      expect(text).toMatch(/^[\x20-\x7e]*$/)
      expect(Either.getOrThrow(readTape(text))).toEqual(given)
      expect(Either.getOrThrow(readTape(JSON.stringify(JSON.parse(text))))).toEqual(given)
    })
  )
})

it("shows what is text as text", () => {
  const text = writeTape({ startTimeMs: 1, seed: Uint8Array.of(0xff), entries: [] })
  expect(JSON.parse(text)).toEqual({ startTimeMs: 1, seed: { base64: "/w==" }, entries: [] })
  const storage = { kind: "storage", operation: "read", atMs: 2, answer: { fulfilled: true } } as const
  const [action, answer] = ['{"key":"ü"}', ""].map((each) => new TextEncoder().encode(each)) as [Uint8Array, Uint8Array]
  const entries: ReadonlyArray<TapeEntry> = [{ ...storage, action, answer: { fulfilled: true, bytes: answer } }]
  expect(JSON.parse(writeTape({ startTimeMs: 1, seed: action, entries }))).toMatchObject({
    entries: [{ action: '{"key":"ü"}', answer: { fulfilled: true, bytes: "" } }]
  })
})

it.each([
  ["no JSON", "{"],
  ["a missing field", '{"startTimeMs":1,"seed":""}'],
  ["an unknown field", '{"startTimeMs":1,"seed":"","entries":[],"more":1}'],
  ["an unknown kind", '{"startTimeMs":1,"seed":"","entries":[{"kind":"other"}]}'],
  ["bad base64", '{"startTimeMs":1,"seed":{"base64":"*"},"entries":[]}']
])("refuses %s", (_what, text) => {
  expect(Either.isLeft(readTape(text))).toBe(true)
})

it("refuses a moment before the Unix epoch by its name", () => {
  const text = (startTimeMs: number, atMs: number): string =>
    writeTape({
      startTimeMs: 0,
      seed: new Uint8Array(32),
      entries: [
        { kind: "storage", operation: "read", action: new Uint8Array(), atMs: 7, answer: { fulfilled: true, bytes: new Uint8Array() } }
      ]
    })
      .replace('"startTimeMs":0', `"startTimeMs":${startTimeMs}`)
      .replace('"atMs":7', `"atMs":${atMs}`)
  expect(Either.isRight(readTape(text(0, 7)))).toBe(true)
  expect(Either.flip(readTape(text(-1, 7)))).toMatchObject({ right: expect.stringMatching(/^startTimeMs: .*non-negative.* -1$/) })
  expect(Either.isLeft(readTape(text(0, -1)))).toBe(true)
})
