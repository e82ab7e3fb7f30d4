/** The laws of randomness: bytes for secrets, of any count, that nobody else gets. */
import { Entropy } from "@sibyl/core"
import { Effect, type Layer } from "effect"
import { checkedMake } from "../form/checkedMake.ts"
import { holdsThat, isEqual, type Law, type LawBroken } from "../form/law.ts"
import { plainLaws } from "../form/plainLaws.ts"

type Body = Effect.Effect<void, LawBroken, Entropy>

/** Around the sizes of blocks in which an implementation may draw. */
const counts = [0, 1, 15, 16, 31, 32, 63, 64, 65, 255, 256, 4_095, 4_096, 4_097, 65_536, 65_537, 200_000]

const drawsSoMany: Body = Effect.gen(function* () {
  const { bytes, unsafeBytes } = yield* Entropy
  for (const count of counts) {
    const drawn = yield* bytes(count)
    yield* holdsThat(drawn instanceof Uint8Array && drawn.length === count, `bytes(${count}) is ${count} bytes`)
    yield* isEqual(unsafeBytes(count).length, count, `the bytes of unsafeBytes(${count})`)
  }
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const repeatsNothing: Body = Effect.gen(function* () {
  const { bytes, unsafeBytes } = yield* Entropy
  const drawn = new Set<string>()
  for (let at = 0; at < 5_000; at += 1) {
    drawn.add(hex(yield* bytes(16)))
    drawn.add(hex(unsafeBytes(16)))
  }
  yield* isEqual(drawn.size, 10_000, "different ones of 10,000 draws of 16 bytes")
  // Nor do draws of different sizes begin alike, as those of one stored block would.
  const begins = [16, 24, 32, 64, 128, 5_000].map((count) => hex(unsafeBytes(count)).slice(0, 32))
  yield* isEqual(new Set(begins).size, begins.length, "different begins of draws of different sizes")
})

const gives: Body = Effect.gen(function* () {
  const { bytes, unsafeBytes } = yield* Entropy
  const first = yield* bytes(32)
  const kept = hex(first)
  const second = unsafeBytes(32)
  second.fill(0)
  yield* bytes(32)
  yield* isEqual(hex(first), kept, "the bytes that were drawn first, after other draws")
  first.fill(7)
  const others = [yield* bytes(32), unsafeBytes(32), unsafeBytes(4_096)]
  yield* holdsThat(!others.some((other) => hex(other).includes("07".repeat(8))), "what a caller writes into its bytes is not drawn again")
  yield* holdsThat(!others.some((other) => hex(other).includes("00".repeat(16))), "what was wiped is not drawn again")
})

/** In 10^6 fair bits the ones are within 6 standard deviations, 3,000, save once in 10^9 times; the same of each bit's place, and of bytes. */
const isFair: Body = Effect.gen(function* () {
  const { unsafeBytes } = yield* Entropy
  const draws = Array.from({ length: 2_000 }, () => unsafeBytes(64))
  const ones = Array.from({ length: 8 }, () => 0)
  const seen = Array.from({ length: 256 }, () => 0)
  for (const draw of draws) {
    for (const byte of draw) {
      seen[byte] = (seen[byte] ?? 0) + 1
      for (let bit = 0; bit < 8; bit += 1) ones[bit] = (ones[bit] ?? 0) + ((byte >> bit) & 1)
    }
  }
  const total = 128_000
  const allowed = 6 * Math.sqrt(total / 4)
  yield* holdsThat(
    ones.every((count) => Math.abs(count - total / 2) < allowed),
    `each bit is 1 in half of ${total} bytes, not ${ones.join(", ")} times`
  )
  const [least, most] = [Math.min(...seen), Math.max(...seen)]
  yield* holdsThat(least > 350 && most < 650, `each byte comes about 500 times, not ${least} to ${most}`)
})

const bodies: Readonly<Record<string, Body>> = {
  "any number of bytes can be drawn": drawsSoMany,
  "no draw is repeated": repeatsNothing,
  "drawn bytes belong to their caller": gives,
  "every bit and every byte is as likely as any other": isFair
}

const isNotSeeded = (make: () => Layer.Layer<Entropy>): Law["run"] =>
  Effect.gen(function* () {
    const draw = Effect.provide(
      Effect.map(Entropy, ({ unsafeBytes }) => hex(unsafeBytes(32))),
      make()
    )
    yield* holdsThat((yield* draw) !== (yield* draw), "two of them draw different bytes")
  })

/** The laws over randomness from `makeEntropy`. They find what is not random at all, not what is weak. */
export const entropyLaws = (makeEntropy: () => Layer.Layer<Entropy>): ReadonlyArray<Law> => [
  ...plainLaws(bodies, makeEntropy),
  { name: "one made after another does not draw the same", run: isNotSeeded(checkedMake(makeEntropy)) }
]
