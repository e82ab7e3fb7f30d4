/** What an embedder's runtime tells that is no outcome is neither charged nor signed nor stored, and is named. */
import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { describe } from "vitest"
import { Ledger } from "../ports/ledger.ts"
import { type Phase, RuntimeDefect } from "../ports/programRuntime.ts"
import { ResultStore } from "../ports/resultStore.ts"
import { outcome, type Script } from "../testdata/scriptedRuntime.ts"
import { withTestService } from "../testdata/testService.ts"
import { Execution } from "./execution.ts"

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
  ["proxies must be an array", { proxies: Object.create(Array.prototype) as object }]
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
