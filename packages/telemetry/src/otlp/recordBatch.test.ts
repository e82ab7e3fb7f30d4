/** A batch is the text of its records, and says when it is large enough. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { RecordBatch } from "./recordBatch.ts"

it("is the records between head and tail, whatever they are, one batch after another, also in the memory of one that was sent", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 60 })
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 30 }), { maxLength: 4 }), fc.boolean(), (batches, isSent) => {
      const batch = new RecordBatch("[", "]")
      const taken = batches.map((records) => {
        for (const record of records) expect(batch.add(JSON.stringify(record))).toBe(false)
        const made = batch.take()
        if (!isSent || made === undefined) return made
        const sent = { ...made, bytes: new Uint8Array(made.bytes) }
        batch.giveBack(made)
        return sent
      })
      expect(batch.take()).toBeUndefined()
      // What was taken before is not written over by what follows.
      expect(taken.map((each) => JSON.parse(new TextDecoder().decode(each?.bytes)) as unknown)).toEqual(batches)
      expect(taken.map((each) => each?.count)).toEqual(batches.map(({ length }) => length))
    })
  )
})

it.each([
  ["a thousand records", "1", 1_000],
  ["half a megabyte", "1".repeat(65_536), 8]
])("should not wait with %s", (_what, record, count) => {
  const batch = new RecordBatch("[", "]")
  for (let at = 1; at < count; at += 1) expect(batch.add(record)).toBe(false)
  expect(batch.add(record)).toBe(true)
})

it("takes the memory of the largest batch that was given back", () => {
  const batch = new RecordBatch("[", "]")
  const bytesOf = (record: string) => {
    batch.add(record)
    return batch.take() ?? { bytes: new Uint8Array(), count: 0 }
  }
  const [small, large] = [bytesOf("1"), bytesOf("1".repeat(100_000))]
  batch.giveBack(large)
  batch.giveBack(small)
  bytesOf("2")
  const later = bytesOf("3")
  expect(later.bytes.buffer).toBe(large.bytes.buffer)
  expect(new TextDecoder().decode(later.bytes)).toBe("[3]")
})
