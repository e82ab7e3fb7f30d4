/** An escrow serves only the limit, the period and the lease that it was opened for. */
import { expect, it } from "vitest"
import { Escrow } from "./escrow.ts"

const limit = { periodMs: 1_000, credits: 100n }
const openedAtMs = 5_500

const opened = (usageLimit: typeof limit | null = limit): Escrow =>
  new Escrow({ escrowId: "e", projectId: "p", usageLimit, openedAtMs, leaseMs: 60_000 }, 50n, openedAtMs + 60_000)

it("serves the period of the usage limit in which it was opened, to its last millisecond", () => {
  expect(opened().serves(limit, 5_000)).toBe(true)
  expect(opened().serves(limit, 5_999)).toBe(true)
  expect(opened().serves(limit, 6_000)).toBe(false)
})

it("serves any time without a limit, until its lease ends", () => {
  expect(opened(null).serves(null, 65_499)).toBe(true)
  expect(opened(null).serves(null, 65_500)).toBe(false)
})

it("does not serve a limit that was changed, set or taken away", () => {
  expect(opened().serves({ ...limit, credits: 99n }, openedAtMs)).toBe(false)
  expect(opened().serves({ ...limit, periodMs: 2_000 }, openedAtMs)).toBe(false)
  expect(opened().serves(null, openedAtMs)).toBe(false)
  expect(opened(null).serves(limit, openedAtMs)).toBe(false)
})

it("does not serve once it was given back", () => {
  const escrow = opened()
  escrow.isRetired = true
  expect(escrow.serves(limit, openedAtMs)).toBe(false)
})
