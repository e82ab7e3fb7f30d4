/** What an embedder's runtime tells that is no outcome is neither charged nor signed nor stored, and is named. */
import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { describe } from "vitest"
import { Ledger } from "../../ports/ledger.ts"
import { type Phase, type PhaseOutcome, RuntimeDefect } from "../../ports/programRuntime.ts"
import { ResultStore } from "../../ports/resultStore.ts"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { withTestService } from "../../testdata/testService.ts"
import { Execution } from "../execution.ts"

const proxiesRule = "proxies must have of each a publicKey, a string, feeCredits, a bigint, and calls, a number"
const limitsRule = "limits must have of each a limit, a string, and what is allowed, a string or null, or be absent"
const storageRule = "storage must have of each write a key, a string, and a value, a string or null, or be absent"

const wrong: ReadonlyArray<readonly [told: string, fields: object]> = [
  ["exitCode must be a whole number", { exitCode: 0.5 }],
  ["exitCode must be a whole number", { exitCode: "0" }],
  ["exitMessage must be a string", { exitMessage: undefined }],
  ["gasUsed must be a bigint, 0 or more", { gasUsed: -5n }],
  ["gasUsed must be a bigint, 0 or more", { gasUsed: 5 }],
  ["gasCharged must be a bigint, 0 or more", { gasCharged: -1n }],
  ["gasCharged must be a bigint, 0 or more", { gasCharged: undefined }],
  ["result must be a Uint8Array", { result: [1, 2] }],
  ["stdout must be a string", { stdout: null }],
  ["stderr must be a string", { stderr: 1 }],
  ["proxies must be an array", { proxies: Object.create(Array.prototype) as object }],
  ...[{}, { publicKey: 5, feeCredits: 1n, calls: 1 }, { publicKey: "aa", feeCredits: -1n, calls: 1 }].map(
    (proxy) => [proxiesRule, { proxies: [proxy] }] as const
  ),
  [proxiesRule, { proxies: [{ publicKey: "aa", feeCredits: 1n, calls: Number.NaN }] }],
  ["reason must be a string, or absent", { reason: 5 }],
  [limitsRule, { limits: 5 }],
  [limitsRule, { limits: [null] }],
  [limitsRule, { limits: [{ limit: "resultBytes", allowed: 5 }] }],
  [storageRule, { storage: 5 }],
  [storageRule, { storage: [{ key: 5, value: "00" }] }],
  ["prefetch must be an object, or absent", { prefetch: null }],
  ["tape must be a string, or an object with bytes, or absent", { tape: null }],
  ["tape must be a string, or an object with bytes, or absent", { tape: {} }],
  ["hostCalls must be an array, or absent", { hostCalls: "none" }]
]

const telling =
  (wrongPhase: Phase, fields: object): Script =>
  ({ phase }) =>
    Effect.succeed(phase === wrongPhase ? { ...outcome(), ...fields } : outcome())

const ways = (["exec", "tally"] as const).flatMap((phase) => [true, false].map((inOneOrder) => ({ phase, inOneOrder })))

describe.each(ways)("an outcome of $phase that is none, in one order: $inOneOrder", ({ inOneOrder, phase }) => {
  it.effect.each(wrong)("%s (%o)", ([told, fields]) =>
    withTestService({ script: telling(phase, fields), inOneOrder }, (testService) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Effect.flatMap(Execution, (execution) => execution.execute(testService.command())))
        const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : "no failure"
        expect(defect).toBeInstanceOf(RuntimeDefect)
        expect((defect as RuntimeDefect).message).toBe(`the outcome of a phase, as the runtime tells it: ${told}`)
        expect(testService.ledgerCalls).toEqual(["hold", "void"])
        const { project } = testService
        expect(yield* Effect.flatMap(Ledger, (ledger) => ledger.balance(project))).toMatchObject({ used: 0n, held: 0n })
        const last = yield* Effect.flatMap(ResultStore, (results) => results.last(project.projectId, testService.command().key, "last"))
        expect(last._tag).toBe("None")
      })
    )
  )
})

it.effect.each<Partial<PhaseOutcome>>([
  {},
  {
    proxies: [{ publicKey: "aa", feeCredits: 0n, calls: 1 }],
    reason: "it ended",
    limits: [
      { limit: "resultBytes", allowed: "1" },
      { limit: "module", allowed: null }
    ],
    storage: [
      { key: "00", value: "01" },
      { key: "01", value: null }
    ],
    prefetch: { requested: 1, used: 0 },
    tape: "[]",
    hostCalls: [{ kind: "fetch", request: "GET http://a/", bytes: 0, answeredAfterMs: 1 }]
  },
  { tape: { bytes: 5 }, hostCalls: [] }
])("an outcome of these optional parts is one: %o", (fields) =>
  withTestService({ script: ({ phase }) => Effect.succeed(outcome(phase === "exec" ? fields : {})) }, (testService) =>
    Effect.gen(function* () {
      const { report } = yield* Effect.flatMap(Execution, (execution) => execution.execute(testService.command()))
      expect(report.dataResult.exitCode).toBe(0)
      expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    })
  )
)
