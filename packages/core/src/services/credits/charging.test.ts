/** A run is settled or voided exactly once, whatever its program, its client or the service does (decision D32). */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Option, Scope, TestClock } from "effect"
import { Overloaded } from "../../contract/errors.ts"
import { remainingOf } from "../../domain/credits/balance.ts"
import { dataRequestIdOf } from "../../domain/protocol/dataRequestId.ts"
import { dataResultIdOf } from "../../domain/protocol/dataResultId.ts"
import { recoverSigner } from "../../domain/protocol/resultSignature.ts"
import { fromHex, fromUtf8 } from "../../domain/encoding/bytes.ts"
import { Ledger } from "../../ports/ledger.ts"
import { RuntimeDefect } from "../../ports/programRuntime.ts"
import { ResultStore } from "../../ports/resultStore.ts"
import { Signer } from "../../ports/signer.ts"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { layerTestPricing, withTestService, type TestService, type TestServiceSetup } from "../../testdata/testService.ts"
import { Credits } from "./credits.ts"
import { Execution } from "../execution.ts"
import { Pricing } from "../phases/pricing.ts"

const execute = (testService: TestService) => Effect.flatMap(Execution, (execution) => execution.execute(testService.command()))

const balance = (testService: TestService) => Effect.flatMap(Ledger, (ledger) => ledger.balance(testService.project))

const stored = (testService: TestService) =>
  Effect.flatMap(ResultStore, (results) => results.last(testService.project.projectId, testService.command().key, "last"))

/** A script whose execution phase waits: `started` resolves when it runs, `go` lets it end. */
const gated = Effect.gen(function* () {
  const started = yield* Deferred.make<void>()
  const go = yield* Deferred.make<void>()
  const script: Script = () => Deferred.succeed(started, undefined).pipe(Effect.zipRight(Deferred.await(go)), Effect.as(outcome()))
  return { started: Deferred.await(started), go: Deferred.succeed(go, undefined), script }
})

describe("a run that ends", () => {
  it.effect("is settled once by its gas, and the rest of the hold is released", () =>
    withTestService(
      {
        script: ({ phase }) => Effect.succeed(outcome({ gasUsed: phase === "exec" ? 24_000_000_000_001n : 10n ** 13n }))
      },
      (testService) =>
        Effect.gen(function* () {
          const { balance: after, report } = yield* execute(testService)
          expect(testService.ledgerCalls).toEqual(["hold", "settle"])
          expect(report.cost).toEqual({ base: 1n, gas: 35n, dataProxies: 0n, total: 36n })
          expect(after).toMatchObject({ used: 36n, held: 0n })
          expect(yield* balance(testService)).toEqual(after)
          expect(yield* stored(testService)).toMatchObject({ value: { id: report.id } })
        })
    )
  )

  it.effect("is charged by one operation under the timestamp that the store gives out, if another server has a later one", () =>
    withTestService({ script: () => Effect.succeed(outcome({ result: fromUtf8("r") })) }, (testService) =>
      Effect.gen(function* () {
        const { report: first } = yield* execute(testService)
        const { project } = testService
        const drId = dataRequestIdOf(first.dataRequest)
        const timestampMs = Number(first.dataResult.blockTimestamp) + 60_000
        const ledger = yield* Ledger
        const hold = yield* ledger.hold(project, 1n, 60_000)
        yield* ledger.settleChosen(hold, { ...first, id: "another server's" }, { drId, timestampMs, owner: "another server" })
        const before = testService.ledgerCalls.length
        const { report } = yield* execute(testService)
        expect(testService.ledgerCalls.slice(before)).toEqual(["hold", "settle"])
        expect(report.dataResult).toEqual({ ...first.dataResult, blockTimestamp: BigInt(timestampMs + 1) })
        expect(recoverSigner(dataResultIdOf(report.dataResult), fromHex(report.signature) ?? new Uint8Array())).toBe(
          (yield* Signer).publicKey
        )
        expect(yield* stored(testService)).toMatchObject({ value: report })
      })
    )
  )

  it.effect("is charged when its program fails, and a failed execution phase skips the tally", () =>
    withTestService({ script: () => Effect.succeed(outcome({ exitCode: 3, gasUsed: 5n, stderr: "no" })) }, (testService) =>
      Effect.gen(function* () {
        const { balance: after, report } = yield* execute(testService)
        expect(testService.requests.map(({ phase }) => phase)).toEqual(["exec"])
        expect(report).toMatchObject({
          tally: null,
          dataResult: { exitCode: 3, consensus: true, gasUsed: 5n },
          cost: { total: 2n }
        })
        expect(testService.ledgerCalls).toEqual(["hold", "settle"])
        expect(after.used).toBe(2n)
      })
    )
  )

  it.effect("pays its data proxies, both phases' fees", () => {
    const proxies = [{ publicKey: `02${"ab".repeat(32)}`, feeCredits: 7n, calls: 2 }]
    return withTestService({ script: () => Effect.succeed(outcome({ gasUsed: 0n, proxies })) }, (testService) =>
      Effect.gen(function* () {
        const { report } = yield* execute(testService)
        expect(report.cost).toEqual({ base: 1n, gas: 0n, dataProxies: 28n, total: 29n })
        expect(report.proxies.map(({ calls, fee }) => [calls, fee])).toEqual([[4, 7n]])
      })
    )
  })

  it.effect("pays for its charged gas, never for more than its limit", () =>
    withTestService({ script: () => Effect.succeed(outcome({ gasUsed: 10n ** 18n, gasCharged: 10n ** 18n })) }, (testService) =>
      Effect.gen(function* () {
        const { report } = yield* execute(testService)
        // 300 + 50 million million gas are the project's limits.
        expect(report.cost.gas).toBe(350n)
        expect(report.dataResult.gasUsed).toBe(2n * 10n ** 18n)
      })
    )
  )

  it.effect.each([true, false])("that costs more than its hold pays the hold, and says so; its timestamp stands: %s", (stands) => {
    const cost = { base: 1n, gas: 0n, dataProxies: 0n, total: 1n }
    const pricing = Layer.succeed(Pricing, { worst: () => cost, gasPerWorkerMs: 0n, price: () => ({ ...cost, gas: 8n, total: 9n }) })
    return withTestService({ pricing }, (testService) =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        if (!stands) {
          // Another server has given out a later timestamp.
          const other = { drId: dataRequestIdOf((yield* execute(testService)).report.dataRequest), timestampMs: 10 ** 9, owner: "another" }
          const held = yield* ledger.hold(testService.project, 1n, 60_000)
          const report = { ...(yield* stored(testService)).pipe(Option.getOrThrow), id: "another" }
          yield* ledger.settleChosen(held, report, other)
        }
        const used = (yield* balance(testService)).used
        const { balance: after, report } = yield* execute(testService)
        expect(report.cost.total).toBe(1n)
        expect(after.used).toBe(used + 1n)
        expect(Option.getOrThrow(yield* stored(testService))).toEqual(report)
      })
    )
  })

  it.effect("pays for the last finished pass only when the clock ended it", () =>
    withTestService(
      { script: () => Effect.succeed(outcome({ exitCode: 1, gasUsed: 3n * 10n ** 14n, gasCharged: 10n ** 12n })) },
      (testService) =>
        Effect.gen(function* () {
          const { report } = yield* execute(testService)
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
    return withTestService({ script }, (testService) =>
      Effect.gen(function* () {
        const { report } = yield* execute(testService)
        // 1.5 s at 10 · 10^12 gas a second, and the tally's whole limit.
        expect(report.cost).toEqual({ base: 1n, gas: 15n + 50n, dataProxies: 0n, total: 66n })
      })
    )
  })
})

describe("a long run", () => {
  it.effect("keeps its hold: the lease is renewed as long as it runs, and no longer", () =>
    Effect.flatMap(gated, ({ go, script, started }) =>
      withTestService({ script }, (testService) =>
        Effect.gen(function* () {
          const client = yield* Effect.fork(execute(testService))
          yield* started
          yield* TestClock.adjust("1 hour")
          expect(new Set(testService.ledgerCalls)).toEqual(new Set(["hold", "renew"]))
          yield* go
          const { balance: after } = yield* Fiber.join(client)
          expect(after).toMatchObject({ used: 2n, held: 0n })
          const calls = testService.ledgerCalls.length
          yield* TestClock.adjust("1 hour")
          expect(testService.ledgerCalls.length).toBe(calls)
          expect(testService.ledgerCalls.at(-1)).toBe("settle")
        })
      )
    )
  )

  it.effect("is refused and costs nothing if no worker took it", () =>
    withTestService({ script: () => new Overloaded({ message: "no worker was free", retryAfterSeconds: 1 }) }, (testService) =>
      Effect.gen(function* () {
        const before = yield* balance(testService)
        expect(yield* Effect.flip(execute(testService))).toMatchObject({ _tag: "Overloaded", retryAfterSeconds: 1 })
        expect(testService.ledgerCalls).toEqual(["hold", "void"])
        expect(yield* balance(testService)).toEqual(before)
      })
    )
  )
})

describe("an internal error", () => {
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
      withTestService({ script }, (testService) =>
        Effect.gen(function* () {
          const before = yield* balance(testService)
          const exit = yield* Effect.exit(execute(testService))
          expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
          expect(testService.ledgerCalls).toEqual(["hold", "void"])
          expect(yield* balance(testService)).toEqual(before)
          expect(yield* stored(testService)).toMatchObject({ _tag: "None" })
        })
      )
    )
  }
})

describe("a client that disconnects", () => {
  it.effect("loses only the answer: the run is finished, charged and stored", () =>
    Effect.flatMap(gated, ({ go, script, started }) =>
      withTestService({ script }, (testService) =>
        Effect.gen(function* () {
          const client = yield* Effect.fork(execute(testService))
          yield* started
          const exit = yield* Fiber.interrupt(client)
          expect(Exit.isInterrupted(exit)).toBe(true)
          expect(testService.ledgerCalls).toEqual(["hold"])
          yield* go
          yield* (yield* Credits).settled
          expect(testService.ledgerCalls).toEqual(["hold", "settle"])
          expect(yield* balance(testService)).toMatchObject({ used: 2n, held: 0n })
          expect(yield* stored(testService)).toMatchObject({ _tag: "Some" })
        })
      )
    )
  )
})

describe("a service that closes", () => {
  it.effect("voids the holds of the runs that it interrupts, and interrupts their callers", () =>
    Effect.gen(function* () {
      const { script, started } = yield* gated
      const clients = yield* Scope.make()
      // The end of this effect releases the service while the run is in flight.
      const { run, testService } = yield* withTestService({ script }, (testService) =>
        Effect.gen(function* () {
          const run = yield* Effect.forkIn(execute(testService), clients)
          yield* started
          expect(testService.ledgerCalls).toEqual(["hold"])
          return { run, testService }
        })
      )
      expect(Exit.isInterrupted(yield* Fiber.await(run))).toBe(true)
      expect(testService.ledgerCalls).toEqual(["hold", "void"])
      yield* Scope.close(clients, Exit.void)
    })
  )
})

describe("a balance of exactly one hold", () => {
  it.effect("pays for exactly one of 200 concurrent executions", () => {
    const setup: TestServiceSetup = {
      credits: 1n,
      pricing: layerTestPricing,
      // Each run yields, so that all of them are in flight at once.
      script: () => Effect.as(Effect.yieldNow(), outcome())
    }
    return withTestService(setup, (testService) =>
      Effect.gen(function* () {
        const exits = yield* Effect.all(
          Array.from({ length: 200 }, () => Effect.either(execute(testService))),
          { concurrency: "unbounded" }
        )
        const refusals = exits.flatMap((exit) => (exit._tag === "Left" ? [exit.left] : []))
        expect(refusals).toHaveLength(199)
        for (const refusal of refusals) {
          expect(refusal).toMatchObject({ _tag: "InsufficientCredits", details: { required: "1", remaining: "0" } })
        }
        const after = yield* balance(testService)
        expect(after).toMatchObject({ granted: 1n, used: 1n, held: 0n })
        expect(remainingOf(after)).toBe(0n)
        expect(testService.ledgerCalls.filter((call) => call !== "refused")).toEqual(["hold", "settle"])
        expect(testService.requests).toHaveLength(2)
      })
    )
  })
})
