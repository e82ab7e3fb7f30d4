/** A runtime that runs both phases in one order is asked for them so, and its runs are reported, signed and charged as others are. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import { writeConsensusFilter } from "../../domain/protocol/consensusFilter.ts"
import { readJsonPath } from "../../domain/encoding/jsonPath.ts"
import type { PhaseOutcome } from "../../ports/programRuntime.ts"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { withTestService } from "../../testdata/testService.ts"
import { Execution } from "../execution.ts"

const byMode = writeConsensusFilter({ method: "mode", jsonPath: "$.price", path: readJsonPath("$.price") ?? [] })
const scripted =
  (exec: Partial<PhaseOutcome>): Script =>
  ({ phase }) =>
    Effect.succeed(phase === "exec" ? outcome({ gasUsed: 10n, ...exec }) : outcome({ gasUsed: 7n, result: fromUtf8("tallied") }))

const cases: ReadonlyArray<readonly [string, Script, Uint8Array]> = [
  ["both phases", scripted({ result: fromUtf8('{"price":1}') }), Uint8Array.of(0)],
  ["a failed execution", scripted({ exitCode: 3, stderr: "no upstream" }), Uint8Array.of(0)],
  ["a filter that accepts", scripted({ result: fromUtf8('{"price":1}') }), byMode],
  ["a filter that refuses", scripted({ result: fromUtf8("no JSON") }), byMode],
  ["paid calls", scripted({ proxies: [{ publicKey: "02aa", feeCredits: 5n, calls: 2 }] }), Uint8Array.of(0)]
]

/** Each service has a project of its own. */
const without = (record: object, ...names: ReadonlyArray<string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))

describe("both phases in one order", () => {
  it.effect.each(cases)("%s", ([, script, consensusFilter]) =>
    Effect.gen(function* () {
      const reported = (inOneOrder: boolean) =>
        withTestService({ script, inOneOrder, options: { consensusFilter } }, (testService) =>
          Effect.gen(function* () {
            const { report } = yield* Effect.flatMap(Execution, (execution) => execution.execute(testService.command()))
            const requests = testService.requests.map((request) => without(request, "abandoned", "storage", "projectId"))
            return { requests, report: without(report, "executedAtMs", "projectId") }
          })
        )
      expect(yield* reported(true)).toEqual(yield* reported(false))
    })
  )

  it.effect("are not asked for by several executors", () =>
    withTestService({ inOneOrder: true, options: { replicationFactor: 2 } }, (testService) =>
      Effect.gen(function* () {
        yield* Effect.flatMap(Execution, (execution) => execution.execute(testService.command()))
        expect(testService.requests.map(({ phase }) => phase)).toEqual(["exec", "exec", "tally"])
      })
    )
  )
})
