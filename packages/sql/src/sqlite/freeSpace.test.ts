/** When a disk counts as nearly full. `test/ops/diskFull.test.ts` has a server on one. */
import * as fc from "fast-check"
import { tmpdir } from "node:os"
import { Effect, Exit } from "effect"
import { expect, it } from "vitest"
import { checkpointAfterPages } from "./connection/sqliteConnection.ts"
import { checkFreeSpace, isNearlyFull, leastFreeBytes } from "./freeSpace.ts"

it("a disk is nearly full when less is free than a few commits take, in blocks of any size", () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(512, 4_096, 65_536), (bavail, bsize) => {
      expect(isNearlyFull({ bavail, bsize })).toBe(bavail < leastFreeBytes / bsize)
    })
  )
})

it("a log is copied to the file before it fills the disk", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), (free) => {
      const pages = checkpointAfterPages(free)
      expect(pages === 256 || pages * 4_096 * 16 <= free).toBe(true)
    })
  )
  expect([checkpointAfterPages(8 * 2 ** 20), checkpointAfterPages(2 ** 40), checkpointAfterPages(Number.NaN)]).toEqual([256, 8_192, 8_192])
})

it("a file that nobody can ask about has enough", async () => {
  expect(Exit.isSuccess(await Effect.runPromiseExit(checkFreeSpace(`${tmpdir()}/sibyl-nothing-here`)))).toBe(true)
})
