/** Callers that leave at any moment: what they had begun ends, and nobody waits for it for ever. */
import { makeHandClock } from "@sibyl/testing"
import { Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { defaultGasLimits } from "../../domain/settings/gasLimits.ts"
import { EscrowWorld } from "../../testdata/escrowServers.ts"
import { runOf } from "../../testdata/ledgerHistories.ts"

const leaseMs = 1_000
const granted = 100n

const project = {
  projectId: "p",
  organizationId: "o",
  organizationSlug: "o",
  gasLimits: defaultGasLimits,
  usageLimit: null,
  allowedPrograms: null,
  allowedHosts: null,
  limits: {}
}

/** When the caller leaves: after how many turns of other fibers, who have one after so many of its steps. */
interface Leaving {
  readonly turns: number
  readonly steps: number
}

const leftAfter = <A, E>({ steps, turns }: Leaving, effect: Effect.Effect<A, E>): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.withMaxOpsBeforeYield(effect, steps))
    yield* Effect.repeatN(Effect.yieldNow(), turns)
    return yield* Fiber.interrupt(fiber)
  })

const answers = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | string> =>
  Effect.timeoutFail(effect, { duration: 10_000, onTimeout: () => "it waits for ever" })

// With fewer than twelve, Effect never gets past having a turn itself.
const everyLeaving = Array.from({ length: 20 }, (_, at) => 12 + at).flatMap((steps) =>
  Array.from({ length: 10 }, (__, turns): Leaving => ({ steps, turns }))
)

const inWorld = <A, E>(use: (world: EscrowWorld) => Effect.Effect<A, E>): Promise<A> => {
  const world = new EscrowWorld(project, granted)
  return Effect.runPromise(Effect.withClock(Effect.ensuring(use(world), world.close), makeHandClock(1_000_000)))
}

describe("a caller that leaves", () => {
  it("while it takes a hold does not keep the next one from it", async () => {
    let left = 0
    for (const leaving of everyLeaving) {
      const exit = await inWorld((world) =>
        Effect.gen(function* () {
          const { ledger } = yield* world.start
          const first = yield* leftAfter(leaving, ledger.hold(project, 40n, leaseMs))
          yield* answers(ledger.hold(project, 40n, leaseMs))
          return first
        })
      )
      if (Exit.isFailure(exit)) left += 1
    }
    expect(left).toBeGreaterThan(20)
    expect(left).toBeLessThan(everyLeaving.length)
  })

  it("while it waits for the credits of another server does not keep the next one from them", async () => {
    let taken = 0
    for (const leaving of everyLeaving) {
      const remaining = await inWorld((world) =>
        Effect.gen(function* () {
          const [one, two] = [yield* world.start, yield* world.start]
          yield* one.ledger.hold(project, 1n, leaseMs)
          yield* leftAfter(leaving, two.ledger.hold(project, 90n, leaseMs))
          const next = yield* answers(Effect.exit(two.ledger.hold(project, 90n, leaseMs)))
          return Exit.isSuccess(next)
            ? undefined
            : yield* Effect.map(two.ledger.balance(project), ({ held, used }) => granted - held - used)
        })
      )
      if (remaining === undefined) taken += 1
      // The one that left has got them.
      else expect(remaining).toBeLessThan(90n)
    }
    expect(taken).toBeGreaterThan(20)
  })

  it("while it renews a hold does not keep others from it", async () => {
    for (const leaving of everyLeaving) {
      const isOpen = await inWorld((world) =>
        Effect.gen(function* () {
          const { ledger } = yield* world.start
          const hold = yield* ledger.hold(project, 10n, leaseMs)
          yield* leftAfter(leaving, ledger.renew(hold, 10 * leaseMs))
          return yield* answers(ledger.renew(hold, 10 * leaseMs))
        })
      )
      expect(isOpen).toBe(true)
    }
  })

  it("while its run is charged is charged once, or not at all", async () => {
    let charged = 0
    for (const leaving of everyLeaving) {
      const [exit, used] = await inWorld((world) =>
        Effect.gen(function* () {
          const { ledger } = yield* world.start
          const hold = yield* ledger.hold(project, 10n, leaseMs)
          const first = yield* leftAfter(leaving, ledger.settle(hold, runOf("p", 1, 7n)))
          const { used } = world.account
          yield* answers(ledger.settle(hold, runOf("p", 1, 7n)))
          expect(world.account.used).toBe(7n)
          return [first, used] as const
        })
      )
      expect(used === 0n || used === 7n).toBe(true)
      if (Exit.isSuccess(exit)) expect(used).toBe(7n)
      if (used === 7n) charged += 1
    }
    expect(charged).toBeGreaterThan(20)
    expect(charged).toBeLessThan(everyLeaving.length)
  })
})
