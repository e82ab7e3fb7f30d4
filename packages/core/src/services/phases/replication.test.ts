/** Several executors: their gas, their reveals, the filter, and every way in which they can disagree (decision D24). */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fromUtf8, toUtf8 } from "../../domain/encoding/bytes.ts"
import { writeConsensusFilter } from "../../domain/protocol/consensusFilter.ts"
import { dataRequestIdOf } from "../../domain/protocol/dataRequestId.ts"
import { dataResultIdOf } from "../../domain/protocol/dataResultId.ts"
import { readJsonPath } from "../../domain/encoding/jsonPath.ts"
import { recoverSigner } from "../../domain/protocol/resultSignature.ts"
import type { PhaseOutcome } from "../../ports/programRuntime.ts"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { bytesOf, testPublicKey } from "../../testdata/vectors.ts"
import { withTestService, type TestService } from "../../testdata/testService.ts"
import { Execution } from "../execution.ts"
import { InvalidOption } from "../../domain/settings/invalidOption.ts"
import { resolveOptions } from "../settings/serviceOptions.ts"

const network = { name: "testnet", chainId: "seda-1-testnet" }
const path = readJsonPath("$.price") ?? []
const byMode = writeConsensusFilter({ method: "mode", jsonPath: "$.price", path })
const byMad = writeConsensusFilter({ method: "mad", jsonPath: "$.price", path, sigmaMicros: 1_000_000n, numberType: "int64" })

/** Executors that end with these outcomes in turn, and a tally that returns its arguments. */
const executors = (outcomes: ReadonlyArray<PhaseOutcome>): Script => {
  let next = 0
  return ({ args, phase }) => {
    if (phase === "tally") return Effect.succeed(outcome({ gasUsed: 7n, result: fromUtf8(args.slice(1).join("\n")) }))
    next += 1
    return Effect.succeed(outcomes[(next - 1) % outcomes.length] ?? outcome())
  }
}

const price = (value: unknown, fields: Partial<PhaseOutcome> = {}) =>
  outcome({ gasUsed: 10n, result: fromUtf8(JSON.stringify({ price: value })), ...fields })
const failed = outcome({ exitCode: 3, gasUsed: 10n, stderr: "no upstream" })

const execute = (testService: TestService) =>
  Effect.map(
    Effect.flatMap(Execution, (execution) => execution.execute(testService.command())),
    ({ report }) => report
  )

/** Runs once and shows what was decided: consensus, exit code, result as text, whether the tally ran. */
const decided = (outcomes: ReadonlyArray<PhaseOutcome>, consensusFilter: Uint8Array, replicationFactor = outcomes.length) =>
  withTestService({ script: executors(outcomes), options: { consensusFilter, replicationFactor } }, (testService) =>
    Effect.map(execute(testService), ({ dataResult, tally }) => ({
      consensus: dataResult.consensus,
      exitCode: dataResult.exitCode,
      result: toUtf8(dataResult.result),
      tallied: tally !== null
    }))
  )

const refusal = (exitCode: number, result: string, consensus = false) => ({ consensus, exitCode, result, tallied: false })

describe("several executors", () => {
  it.effect("share the gas limit and the proxy budget; their gas and fees add up", () => {
    const used = { publicKey: "02aa", feeCredits: 5n, calls: 1 }
    const script = executors([price(1, { gasUsed: 10n, gasCharged: 40n, proxies: [used] })])
    const setup = { script, project: { gasLimits: { exec: 100n, tally: 50n } }, options: { replicationFactor: 3 } }
    return withTestService(setup, (testService) =>
      Effect.gen(function* () {
        const report = yield* execute(testService)
        const phases = testService.requests.filter(({ phase }) => phase === "exec")
        expect(phases.map(({ gasLimit }) => gasLimit)).toEqual([33n, 33n, 33n])
        expect(phases.map(({ limits }) => limits.proxyBudgetCredits)).toEqual([333n, 333n, 333n])
        expect(Object.fromEntries(phases[0]?.envs ?? [])).toMatchObject({
          DR_REPLICATION_FACTOR: "3",
          DR_EXEC_GAS_LIMIT: "100"
        })
        expect(report.execute.gasUsed).toBe(30n)
        expect(report.dataResult.gasUsed).toBe(37n)
        // Each executor is charged for at most its part of the limit.
        expect(report.proxies).toEqual([{ publicKey: "02aa", fee: 5n, calls: 3 }])
        expect(report.cost).toEqual({ base: 1n, gas: 1n, dataProxies: 15n, total: 17n })
      })
    )
  })

  it.effect("are part of what is identified and signed", () =>
    withTestService({ script: executors([price(1)]), options: { replicationFactor: 3, consensusFilter: byMode } }, (testService) =>
      Effect.gen(function* () {
        const { dataRequest, dataResult, signature } = yield* execute(testService)
        expect(dataRequest).toMatchObject({ replicationFactor: 3, consensusFilter: byMode })
        expect(dataResult.drId).toBe(dataRequestIdOf(dataRequest))
        expect(dataResult.drId).not.toBe(dataRequestIdOf({ ...dataRequest, replicationFactor: 1 }))
        expect(recoverSigner(dataResultIdOf(dataResult), bytesOf(signature))).toBe(testPublicKey)
      })
    )
  )

  it.effect("are passed to the tally with their outliers, in order", () =>
    Effect.gen(function* () {
      const { result, ...rest } = yield* decided([price(5), price(6), price(5)], byMode)
      expect(rest).toEqual({ consensus: true, exitCode: 0, tallied: true })
      const [reveals = "", outliers] = result?.split("\n") ?? []
      expect(outliers).toBe("[0,1,0]")
      expect(
        (JSON.parse(reveals) as ReadonlyArray<{ readonly reveal: ReadonlyArray<number> }>).map(({ reveal }) =>
          toUtf8(Uint8Array.from(reveal))
        )
      ).toEqual(['{"price":5}', '{"price":6}', '{"price":5}'])
    })
  )
})

describe("the tally does not run when", () => {
  it.effect("more than a third differ in success", () =>
    Effect.map(decided([price(1), failed], Uint8Array.of(0)), (seen) =>
      expect(seen).toEqual(refusal(254, "> 1/3 of reveals do not agree on (exit_code_success, proxy_pub_keys)"))
    )
  )

  it.effect("more than a third differ in the data proxies they used", () => {
    const [one, other] = ["02aa", "02bb"].map((publicKey) => price(1, { proxies: [{ publicKey, feeCredits: 0n, calls: 1 }] }))
    return Effect.map(decided([one ?? failed, other ?? failed], Uint8Array.of(0)), (seen) =>
      expect(seen).toEqual(refusal(254, "> 1/3 of reveals do not agree on (exit_code_success, proxy_pub_keys)"))
    )
  })

  it.effect("no value has a majority of two thirds", () =>
    Effect.gen(function* () {
      const text = "> 1/3 of reveals do not agree on reveal data"
      expect(yield* decided([price(1), price(2), price(3)], byMode)).toEqual(refusal(254, text))
      // Median 25, deviation 10: 20 and 30 are in, 10 and 40 are out, and two are not two thirds of four.
      expect(
        yield* decided(
          [10, 20, 30, 40].map((value) => price(value)),
          byMad
        )
      ).toEqual(refusal(254, text))
    })
  )

  it.effect("two thirds fail: they agree on an error", () =>
    Effect.gen(function* () {
      const error = refusal(254, "consensus in error", true)
      expect(yield* decided([failed], Uint8Array.of(0), 3)).toEqual(error)
      expect(yield* decided([failed, failed, price(1)], Uint8Array.of(0))).toEqual(error)
      expect(yield* decided([price("a"), price("b"), outcome({ result: fromUtf8("no JSON") })], byMad)).toEqual(error)
    })
  )
})

it.effect("the failure of a single executor is the outcome, whatever the filter", () =>
  Effect.map(decided([failed], byMode), (seen) => expect(seen).toEqual({ consensus: true, exitCode: 3, result: "", tallied: false }))
)

it.effect("a failing tally program leaves consensus true", () => {
  const script: Script = ({ phase }) => Effect.succeed(phase === "exec" ? price(1) : outcome({ exitCode: 9 }))
  return withTestService({ script, options: { replicationFactor: 2 } }, (testService) =>
    Effect.map(execute(testService), ({ dataResult }) => expect([dataResult.consensus, dataResult.exitCode]).toEqual([true, 9]))
  )
})

describe("the service does not open", () => {
  it.each([0, 21, 1.5, Number.NaN, -1])("with %d executors", (replicationFactor) => {
    expect(() => resolveOptions({ network, replicationFactor })).toThrow(InvalidOption)
  })

  // So the chain's ErrInvalidFilterInput cannot occur.
  it.each([[], [9], [1, 0], [2, 0, 0, 0, 0, 0, 0, 0, 1, 99]])("with the filter bytes %j", (...bytes) => {
    const consensusFilter = Uint8Array.from(bytes.flat())
    expect(() => resolveOptions({ network, consensusFilter })).toThrow(InvalidOption)
  })
})
