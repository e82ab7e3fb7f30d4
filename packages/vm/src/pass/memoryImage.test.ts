/** An image restores exactly the memory that it was made of, wherever its last byte lies, and leaves one that has grown alone. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { MemoryImage } from "./memoryImage.ts"

const pageBytes = 65_536
const written = fc.array(fc.tuple(fc.nat(2 * pageBytes - 1), fc.integer({ min: 1, max: 255 })), { maxLength: 4 })

/** Two pages with these bytes, zero elsewhere. */
const memoryWith = (bytes: ReadonlyArray<readonly [at: number, value: number]>): ArrayBuffer => {
  const memory = new Uint8Array(2 * pageBytes)
  for (const [at, value] of bytes) memory[at] = value
  return memory.buffer
}

it("restores any memory from any other", () => {
  fc.assert(
    fc.property(written, written, (first, later) => {
      const image = new MemoryImage(memoryWith(first))
      const memory = memoryWith(later)
      expect(image.restore(memory)).toBe(true)
      expect(Buffer.compare(new Uint8Array(memory), new Uint8Array(memoryWith(first)))).toBe(0)
      const last = Math.max(-1, ...first.map(([at]) => at))
      expect(image.size).toBe(2 * pageBytes + last + 1)
    }),
    { numRuns: 50 }
  )
})

it("does nothing to a memory that has grown, and holds none of an empty one", () => {
  const grown = new ArrayBuffer(3 * pageBytes)
  new Uint8Array(grown)[7] = 7
  expect(new MemoryImage(memoryWith([[3, 1]])).restore(grown)).toBe(false)
  expect(new Uint8Array(grown)[7]).toBe(7)
  expect(new MemoryImage(new ArrayBuffer(0)).size).toBe(0)
})
