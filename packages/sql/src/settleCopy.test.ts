/** What becomes of a copy's feeds, on each kind of database: no number is given out that the original may have given out. */
import { FeedLeases } from "@sibyl/core"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeDatabases, layerTestStores } from "./fixtures/testDatabases.ts"
import { settleCopy } from "./settleCopy.ts"

describeDatabases("a copy of a database", (kind) => {
  it("begins an epoch of each feed, at once and when it is taken", () =>
    Effect.gen(function* () {
      const leases = yield* FeedLeases
      const take = (owner: string) => leases.acquire({ feedKey: "feed", owner, leaseMs: 60_000 })
      const before = yield* take("the original's")
      if (before.kind !== "held") throw new Error("the lease was not taken")
      yield* leases.advance(before.lease, { nextTick: 9, seq: 9 })
      yield* settleCopy
      const after = yield* take("the copy's")
      if (after.kind !== "held") throw new Error("the lease was not free")
      expect(after.schedule).toMatchObject({ nextTick: 0, seq: 0 })
      // One by the copy, so that a follower is not refused until its first owner comes, and one by that owner.
      expect(after.schedule.epoch).toBeGreaterThanOrEqual(before.schedule.epoch + 2)
    }).pipe(Effect.provide(layerTestStores(kind)), Effect.scoped, Effect.runPromise))
})
