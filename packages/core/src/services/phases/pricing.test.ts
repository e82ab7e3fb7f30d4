/** Prices of an embedder that are none charge nobody, and are named. */
import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { describe, test } from "vitest"
import { defaultTariff } from "../../domain/credits/price.ts"
import { Ledger } from "../../ports/ledger.ts"
import { ResultStore } from "../../ports/resultStore.ts"
import { withTestService } from "../../testdata/testService.ts"
import { Execution } from "../execution.ts"
import { checkedPricing, Pricing, PricingDefect } from "./pricing.ts"
import { Quotes } from "../quotes.ts"

const fine = { base: 1n, gas: 1n, dataProxies: 0n, total: 2n }

const wrongCosts: ReadonlyArray<readonly [what: string, cost: unknown, told: string]> = [
  ["below zero", { ...fine, total: -5n }, "total must be a bigint, 0 or more, not -5"],
  ["NaN", { ...fine, total: Number.NaN }, "total must be a bigint, 0 or more, not NaN"],
  ["a number", { ...fine, base: 1 }, "base must be a bigint, 0 or more, not 1"],
  ["a half", { ...fine, gas: 0.5 }, "gas must be a bigint, 0 or more, not 0.5"],
  ["without a part", { base: 1n, gas: 1n, total: 2n }, "dataProxies must be a bigint, 0 or more, not undefined"],
  ["no object", undefined, " must be an object, not undefined"]
]

const pricingOf = (given: object): Layer.Layer<Pricing> =>
  Layer.succeed(Pricing, { worst: () => fine, price: () => fine, gasPerWorkerMs: 0n, ...given })

const diesOf = (exit: Exit.Exit<unknown, unknown>): unknown => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : "no failure")

describe("a cost that is none", () => {
  for (const [what, cost, told] of wrongCosts) {
    it.effect(`${what}: as a price it charges and stores nothing, and the defect says what is wrong`, () =>
      withTestService({ pricing: pricingOf({ price: () => cost }) }, (testService) =>
        Effect.gen(function* () {
          const exit = yield* Effect.exit(Effect.flatMap(Execution, (execution) => execution.execute(testService.command())))
          expect(diesOf(exit)).toBeInstanceOf(PricingDefect)
          expect(diesOf(exit)).toMatchObject({ _tag: "PricingDefect", message: expect.stringContaining(told) })
          expect(testService.ledgerCalls).toEqual(["hold", "void"])
          const balance = yield* Effect.flatMap(Ledger, (ledger) => ledger.balance(testService.project))
          expect(balance).toMatchObject({ used: 0n, held: 0n })
          const { projectId } = testService.project
          expect(yield* Effect.flatMap(ResultStore, (results) => results.last(projectId, testService.command().key, "last"))).toMatchObject(
            { _tag: "None" }
          )
        })
      )
    )

    it.effect(`${what}: as the worst case it holds and quotes nothing`, () =>
      withTestService({ pricing: pricingOf({ worst: () => cost }) }, (testService) =>
        Effect.gen(function* () {
          const { key, project } = testService.command()
          const run = yield* Effect.exit(Effect.flatMap(Execution, (execution) => execution.execute(testService.command())))
          const quote = yield* Effect.exit(Effect.flatMap(Quotes, (quotes) => quotes.quote(project, key)))
          for (const exit of [run, quote]) expect(diesOf(exit)).toMatchObject({ _tag: "PricingDefect" })
          expect(testService.ledgerCalls).toEqual([])
          expect(testService.requests).toEqual([])
        })
      )
    )
  }
})

test("gas for a worker's time that is none is refused before anything runs", () => {
  for (const gasPerWorkerMs of [5, -5n, Number.NaN, undefined]) {
    const pricing = { worst: () => fine, price: () => fine, gasPerWorkerMs: gasPerWorkerMs as bigint }
    expect(() => checkedPricing(pricing)).toThrow(PricingDefect)
  }
})

test.each<[string, object]>([
  ["gasPerCredit", { ...defaultTariff, gasPerCredit: 0n }],
  ["gasPerCredit", { ...defaultTariff, gasPerCredit: 5 }],
  ["baseCredits", { ...defaultTariff, baseCredits: -1n }],
  ["gasPerWorkerMs", { baseCredits: 1n, gasPerCredit: 1n }],
  ["base", { ...defaultTariff, base: 1n }]
])("a tariff's wrong %s is an InvalidOption that names it", (rate, tariff) => {
  const made = () => Pricing.layerFromTariff(tariff as typeof defaultTariff)
  expect(made).toThrow(expect.objectContaining({ _tag: "InvalidOption", option: `tariff.${rate}` }))
})
