/** A run is settled or voided exactly once, whatever its program, its client or the service does (decision D32). */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Scope, TestClock } from "effect"
import { Overloaded } from "../contract/errors.ts"
import { remainingOf } from "../domain/credits/balance.ts"
import { Ledger } from "../ports/ledger.ts"
import { RuntimeDefect } from "../ports/programRuntime.ts"
import { ResultStore } from "../ports/resultStore.ts"
import { outcome, type Script } from "../testdata/scriptedRuntime.ts"
import { layerTestPricing, inWorld, type World, type WorldSetup } from "../testdata/world.ts"
import { Credits } from "./credits.ts"
import { Execution } from "./execution.ts"

const execute = (world: World) => Effect.flatMap(Execution, (execution) => execution.execute(world.command()))

const balance = (world: World) => Effect.flatMap(Ledger, (ledger) => ledger.balance(world.project))

const stored = (world: World) =>
  Effect.flatMap(ResultStore, (results) => results.last(world.project.projectId, world.command().key, "last"))

/** A script whose execution phase waits: `started` says that it runs, `go` lets it end. */
const gated = Effect.gen(function* () {
  const started = yield* Deferred.make<void>()
  const go = yield* Deferred.make<void>()
  const script: Script = () => Deferred.succeed(started, undefined).pipe(Effect.zipRight(Deferred.await(go)), Effect.as(outcome()))
  return { started: Deferred.await(started), go: Deferred.succeed(go, undefined), script }
})

describe("a run that ends", () => {
  it.effect("is settled once by its gas, and the rest of the hold is returned", () =>
    inWorld(
      {
        script: ({ phase }) => Effect.succeed(outcome({ gasUsed: phase === "exec" ? 24_000_000_000_001n : 10n ** 13n }))
      },
      (world) =>
        Effect.gen(function* () {
          const { balance: after, report } = yield* execute(world)
          expect(world.ledgerCalls).toEqual(["hold", "settle"])
          expect(report.cost).toEqual({ base: 1n, gas: 35n, dataProxies: 0n, total: 36n })
          expect(after).toMatchObject({ used: 36n, held: 0n })
          expect(yield* balance(world)).toEqual(after)
          expect(yield* stored(world)).toMatchObject({ value: { id: report.id } })
        })
    )
  )

  it.effect("is charged when its program fails, and a failed execution phase skips the tally", () =>
    inWorld({ script: () => Effect.succeed(outcome({ exitCode: 3, gasUsed: 5n, stderr: "no" })) }, (world) =>
      Effect.gen(function* () {
        const { balance: after, report } = yield* execute(world)
        expect(world.requests.map(({ phase }) => phase)).toEqual(["exec"])
        expect(report).toMatchObject({
          tally: null,
          dataResult: { exitCode: 3, consensus: true, gasUsed: 5n },
          cost: { total: 2n }
        })
        expect(world.ledgerCalls).toEqual(["hold", "settle"])
        expect(after.used).toBe(2n)
      })
    )
  )

  it.effect("pays its data proxies, both phases' fees", () => {
    const proxies = [{ publicKey: `02${"ab".repeat(32)}`, feeCredits: 7n, calls: 2 }]
    return inWorld({ script: () => Effect.succeed(outcome({ gasUsed: 0n, proxies })) }, (world) =>
      Effect.gen(function* () {
        const { report } = yield* execute(world)
        expect(report.cost).toEqual({ base: 1n, gas: 0n, dataProxies: 28n, total: 29n })
        expect(report.proxies.map(({ calls, fee }) => [calls, fee])).toEqual([[4, 7n]])
      })
    )
  })

  it.effect("pays for what is charged, never for more than its limit", () =>
    inWorld({ script: () => Effect.succeed(outcome({ gasUsed: 10n ** 18n, gasCharged: 10n ** 18n })) }, (world) =>
      Effect.gen(function* () {
        const { report } = yield* execute(world)
        // 300 + 50 million million gas are the project's limits.
        expect(report.cost.gas).toBe(350n)
        expect(report.dataResult.gasUsed).toBe(2n * 10n ** 18n)
      })
    )
  )

  it.effect("pays for the last finished pass only when the clock ended it", () =>
    inWorld({ script: () => Effect.succeed(outcome({ exitCode: 1, gasUsed: 3n * 10n ** 14n, gasCharged: 10n ** 12n })) }, (world) =>
      Effect.gen(function* () {
        const { report } = yield* execute(world)
        expect(report.cost.total).toBe(2n)
        expect(report.dataResult.gasUsed).toBe(3n * 10n ** 14n)
      })
    )
  )
})

describe("a phase that the clock ended", () => {
  it.effect("pays for the workers' time, within its gas limit; one that ended by itself does not", () => {
    const script: Script = ({ phase }) =>
      Effect.succeed(phase === "exec" ? outcome({ gasUsed: 10n ** 12n, workerMs: 1_500 }) : outcome({ gasUsed: 1n, workerMs: 60_000 }))
    return inWorld({ script }, (world) =>
      Effect.gen(function* () {
        const { report } = yield* execute(world)
        // 1.5 s at 10 · 10^12 gas a second, and the tally's whole limit.
        expect(report.cost).toEqual({ base: 1n, gas: 15n + 50n, dataProxies: 0n, total: 66n })
      })
    )
  })
})

describe("a run that waits and runs for long", () => {
  it.effect("keeps its hold: the lease is renewed as long as it lives, and no longer", () =>
    Effect.flatMap(gated, ({ go, script, started }) =>
      inWorld({ script }, (world) =>
        Effect.gen(function* () {
          const client = yield* Effect.fork(execute(world))
          yield* started
          yield* TestClock.adjust("1 hour")
          expect(new Set(world.ledgerCalls)).toEqual(new Set(["hold", "renew"]))
          yield* go
          const { balance: after } = yield* Fiber.join(client)
          expect(after).toMatchObject({ used: 2n, held: 0n })
          const calls = world.ledgerCalls.length
          yield* TestClock.adjust("1 hour")
          expect(world.ledgerCalls.length).toBe(calls)
          expect(world.ledgerCalls.at(-1)).toBe("settle")
        })
      )
    )
  )

  it.effect("is refused and costs nothing when no worker took it", () =>
    inWorld({ script: () => new Overloaded({ message: "no worker was free", retryAfterSeconds: 1 }) }, (world) =>
      Effect.gen(function* () {
        const before = yield* balance(world)
        expect(yield* Effect.flip(execute(world))).toMatchObject({ _tag: "Overloaded", retryAfterSeconds: 1 })
        expect(world.ledgerCalls).toEqual(["hold", "void"])
        expect(yield* balance(world)).toEqual(before)
      })
    )
  )
})

describe("a fault of ours", () => {
  const faults: ReadonlyArray<readonly [string, Script]> = [
    ["in the execution phase", () => Effect.die(new RuntimeDefect("the machine broke"))],
    ["in the tally phase", ({ phase }) => (phase === "exec" ? Effect.succeed(outcome()) : Effect.die("broken"))],
    [
      "thrown, not returned",
      () => {
        throw new Error("a bug")
      }
    ]
  ]
  for (const [where, script] of faults) {
    it.effect(`${where} voids the hold, charges and stores nothing, and is a defect`, () =>
      inWorld({ script }, (world) =>
        Effect.gen(function* () {
          const before = yield* balance(world)
          const exit = yield* Effect.exit(execute(world))
          expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
          expect(world.ledgerCalls).toEqual(["hold", "void"])
          expect(yield* balance(world)).toEqual(before)
          expect(yield* stored(world)).toMatchObject({ _tag: "None" })
        })
      )
    )
  }
})

describe("a client that goes", () => {
  it.effect("loses the answer only: the run is finished, charged and stored", () =>
    Effect.flatMap(gated, ({ go, script, started }) =>
      inWorld({ script }, (world) =>
        Effect.gen(function* () {
          const client = yield* Effect.fork(execute(world))
          yield* started
          const exit = yield* Fiber.interrupt(client)
          expect(Exit.isInterrupted(exit)).toBe(true)
          expect(world.ledgerCalls).toEqual(["hold"])
          yield* go
          yield* (yield* Credits).settled
          expect(world.ledgerCalls).toEqual(["hold", "settle"])
          expect(yield* balance(world)).toMatchObject({ used: 2n, held: 0n })
          expect(yield* stored(world)).toMatchObject({ _tag: "Some" })
        })
      )
    )
  )
})

describe("a service that closes", () => {
  it.effect("voids what it has to break off, and its client is interrupted", () =>
    Effect.gen(function* () {
      const { script, started } = yield* gated
      const clients = yield* Scope.make()
      // Leaving the world releases its service while the run is in flight.
      const { run, world } = yield* inWorld({ script }, (world) =>
        Effect.gen(function* () {
          const run = yield* Effect.forkIn(execute(world), clients)
          yield* started
          expect(world.ledgerCalls).toEqual(["hold"])
          return { run, world }
        })
      )
      expect(Exit.isInterrupted(yield* Fiber.await(run))).toBe(true)
      expect(world.ledgerCalls).toEqual(["hold", "void"])
      yield* Scope.close(clients, Exit.void)
    })
  )
})

describe("a balance of exactly one hold", () => {
  it.effect("pays for exactly one of 200 executions at once", () => {
    const setup: WorldSetup = {
      credits: 1n,
      pricing: layerTestPricing,
      // Each run gives way, so that all of them are under way at once.
      script: () => Effect.as(Effect.yieldNow(), outcome())
    }
    return inWorld(setup, (world) =>
      Effect.gen(function* () {
        const exits = yield* Effect.all(
          Array.from({ length: 200 }, () => Effect.either(execute(world))),
          { concurrency: "unbounded" }
        )
        const refusals = exits.flatMap((exit) => (exit._tag === "Left" ? [exit.left] : []))
        expect(refusals).toHaveLength(199)
        for (const refusal of refusals) {
          expect(refusal).toMatchObject({ _tag: "InsufficientCredits", details: { required: "1", remaining: "0" } })
        }
        const after = yield* balance(world)
        expect(after).toMatchObject({ granted: 1n, used: 1n, held: 0n })
        expect(remainingOf(after)).toBe(0n)
        expect(world.ledgerCalls.filter((call) => call !== "refused")).toEqual(["hold", "settle"])
        expect(world.requests).toHaveLength(2)
      })
    )
  })
})
