/** When a disk counts as nearly full. `test/ops/diskFull.test.ts` has a server on one. */
import * as fc from "fast-check"
import { tmpdir } from "node:os"
import { Effect, Exit } from "effect"
import { expect, it } from "vitest"
import { checkFreeSpace, isNearlyFull, leastFreeBytes } from "./freeSpace.ts"

it("a disk is nearly full when less is free than a few commits take, in blocks of any size", () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(512, 4_096, 65_536), (bavail, bsize) => {
      expect(isNearlyFull({ bavail, bsize })).toBe(bavail < leastFreeBytes / bsize)
    })
  )
})

it("a file that nobody can ask about has enough", async () => {
  expect(Exit.isSuccess(await Effect.runPromiseExit(checkFreeSpace(`${tmpdir()}/sibyl-nothing-here`)))).toBe(true)
})
