/** Generators of almost valid modules: golden modules with bytes changed, removed or inserted. */
import fc from "fast-check"
import { moduleNamed, moduleNames } from "./vectors.ts"

interface Edit {
  readonly place: number
  readonly kind: "change" | "remove" | "insert" | "flip"
  readonly byte: number
}

const edit: fc.Arbitrary<Edit> = fc.record({
  place: fc.double({ min: 0, max: 0.9999, noNaN: true }),
  kind: fc.constantFrom("change", "remove", "insert", "flip"),
  byte: fc.integer({ min: 0, max: 255 })
})

const apply = (bytes: Uint8Array, { byte, kind, place }: Edit): Uint8Array => {
  const at = Math.floor(place * bytes.length)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)]
  switch (kind) {
    case "remove":
      return Uint8Array.from([...before, ...after])
    case "insert":
      return Uint8Array.from([...before, byte, ...bytes.subarray(at)])
    case "change":
      return Uint8Array.from([...before, byte, ...after])
    case "flip":
      return Uint8Array.from([...before, (bytes[at] ?? 0) ^ (1 << (byte % 8)), ...after])
  }
}

/** A golden module after one to four edits. */
export const mutatedModule: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.constantFrom(...moduleNames), fc.array(edit, { minLength: 1, maxLength: 4 }))
  .map(([name, edits]) => edits.reduce(apply, moduleNamed(name)))

/** Random bytes, some after a valid header. */
export const meaninglessBytes: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.boolean(), fc.uint8Array({ maxLength: 200 }))
  .map(([header, bytes]) => (header ? Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...bytes]) : bytes))
