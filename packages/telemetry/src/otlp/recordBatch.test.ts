/** A batch is the text of its records, and says when it is large enough. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { RecordBatch } from "./recordBatch.ts"

it("is the records between head and tail, whatever they are, one batch after another", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 60 })
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 30 }), { maxLength: 4 }), (batches) => {
      const batch = new RecordBatch("[", "]")
      const taken = batches.map((records) => {
        for (const record of records) expect(batch.add(JSON.stringify(record))).toBe(false)
        return batch.take()
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
