/** Seeds are 32 bytes of their own buffer, and none comes twice. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { secureSeeds } from "./seeds.ts"

it("gives every run a seed of its own, over many draws", () => {
  const seeds = Effect.runSync(Effect.replicateEffect(secureSeeds(), 1))
  const next = secureSeeds()
  const many = [...seeds, ...Array.from({ length: 1_000 }, () => Effect.runSync(next))]
  expect(many.every(({ buffer, length }) => length === 32 && buffer.byteLength === 32)).toBe(true)
  expect(new Set(many.map((seed) => Buffer.from(seed).toString("hex"))).size).toBe(1_001)
})
