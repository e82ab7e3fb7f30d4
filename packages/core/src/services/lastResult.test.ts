/** Stored results: returned instead of a run, refreshed in the background, passed to the next run (decisions D26 to D28). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { fromUtf8 } from "../domain/encoding/bytes.ts"
import { outcome, type Script } from "../testdata/scriptedRuntime.ts"
import { withTestService, type TestService } from "../testdata/testService.ts"
import { Credits } from "./credits/credits.ts"
import { Execution } from "./execution.ts"

const execute = (testService: TestService, fields?: Parameters<TestService["command"]>[0]) =>
  Effect.flatMap(Execution, (execution) => execution.execute(testService.command(fields)))

const remembered = { returnLastResult: true }

/** Runs end with these exit codes in turn; their results are `r0`, `r1` and so on. */
const ending = (...exitCodes: ReadonlyArray<number>): Script => {
  let run = -1
  return ({ phase }) =>
    Effect.sync(() => {
      if (phase === "exec") run += 1
      return outcome({ exitCode: phase === "tally" ? (exitCodes[run] ?? 0) : 0, result: fromUtf8(`r${run}`) })
    })
}

const runsOf = (testService: TestService): number => testService.requests.filter(({ phase }) => phase === "exec").length

describe("returnLastResult", () => {
  it.effect("returns the last success with its own id, without a run and without a charge", () =>
    withTestService({ script: ending(0, 0, 9) }, (testService) =>
      Effect.gen(function* () {
        yield* execute(testService)
        const second = yield* execute(testService)
        const failed = yield* execute(testService)
        expect(failed.report.dataResult.exitCode).toBe(9)
        yield* TestClock.adjust("2500 millis")
        const answer = yield* execute(testService, remembered)
        expect(answer.report).toEqual(second.report)
        expect(answer.cachedAgeMs).toBe(2_500)
        expect(answer.balance).toEqual(failed.balance)
        expect(runsOf(testService)).toBe(3)
        expect(testService.ledgerCalls).toHaveLength(6)
      })
    )
  )

  it.effect("runs if nothing is stored, nothing for this request, or only failures", () =>
    withTestService({ script: ending(1) }, (testService) =>
      Effect.gen(function* () {
        expect((yield* execute(testService, remembered)).cachedAgeMs).toBeUndefined()
        expect((yield* execute(testService, remembered)).cachedAgeMs).toBeUndefined()
        expect((yield* execute(testService, remembered)).cachedAgeMs).toBe(0)
        const { key } = testService.command()
        for (const other of [
          { execInputs: fromUtf8("x") },
          { tallyInputs: fromUtf8("x") },
          { tallyProgramId: testService.execProgramId }
        ]) {
          expect((yield* execute(testService, { ...remembered, key: { ...key, ...other } })).cachedAgeMs).toBeUndefined()
        }
        expect(runsOf(testService)).toBe(5)
      })
    )
  )

  it.effect("returns only results younger than the maximum age", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 minute")
        yield* execute(testService)
        const withAge = (maxAgeSeconds: number) =>
          Effect.map(execute(testService, { ...remembered, maxAgeSeconds }), ({ cachedAgeMs }) => cachedAgeMs)
        yield* TestClock.adjust("5 seconds")
        expect(yield* withAge(5.001)).toBe(5_000)
        expect(yield* withAge(5)).toBeUndefined()
        expect(yield* withAge(5)).toBeLessThan(5_000)
        expect(yield* withAge(0)).toBeUndefined()
      })
    )
  )

  it.effect("ignores the maximum age if no stored result is requested", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        yield* execute(testService)
        yield* execute(testService, { maxAgeSeconds: 1_000 })
        expect(runsOf(testService)).toBe(2)
      })
    )
  )

  it.effect("does not return results of programs that the project may no longer run", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        yield* execute(testService)
        const project = { ...testService.project, allowedPrograms: [] }
        expect(yield* Effect.flip(execute(testService, { ...remembered, project }))).toMatchObject({
          _tag: "ProgramNotAllowed"
        })
      })
    )
  )

  it.effect("returns only the project's own results", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        yield* execute(testService)
        const project = yield* Effect.orDie(testService.provisioning.createProject({ organizationSlug: "acme" }))
        yield* Effect.orDie(testService.provisioning.grant(project.projectId, 10_000n))
        expect((yield* execute(testService, { ...remembered, project })).cachedAgeMs).toBeUndefined()
      })
    )
  )
})

describe("the background refresh", () => {
  it.effect("runs and charges in the background, so that the next answer is newer", () =>
    withTestService({ options: { lastResultRefresh: "background" }, script: ending() }, (testService) =>
      Effect.gen(function* () {
        const first = yield* execute(testService)
        const answer = yield* execute(testService, remembered)
        expect(answer.report).toEqual(first.report)
        while (testService.ledgerCalls.length < 4) yield* Effect.yieldNow()
        yield* (yield* Credits).settled
        expect(testService.ledgerCalls).toEqual(["hold", "settle", "hold", "settle"])
        const next = yield* execute(testService, remembered)
        expect(next.report.dataResult.result).toEqual(fromUtf8("r1"))
        expect(next.report.id).not.toBe(first.report.id)
      })
    )
  )

  it.effect.each(["ws", "feed"] as const)("is for REST only: over %s a stored result stands in place of a run", (source) =>
    withTestService({ options: { profile: "public-network" } }, (testService) =>
      Effect.gen(function* () {
        const first = yield* execute(testService)
        const answer = yield* execute(testService, { ...remembered, source })
        expect(answer.report).toEqual(first.report)
        yield* Effect.yieldNow()
        yield* (yield* Credits).settled
        expect(testService.ledgerCalls).toEqual(["hold", "settle"])
      })
    )
  )

  it.effect("is skipped if the balance is too low: the answer is the stored result", () =>
    withTestService({ credits: 1_351n, options: { profile: "public-network" } }, (testService) =>
      Effect.gen(function* () {
        const first = yield* execute(testService)
        const answer = yield* execute(testService, remembered)
        expect(answer.report).toEqual(first.report)
        while (testService.ledgerCalls.length < 3) yield* Effect.yieldNow()
        expect(testService.ledgerCalls).toEqual(["hold", "settle", "refused"])
        expect(runsOf(testService)).toBe(1)
      })
    )
  )

  it.effect("is one run for all who ask while it is under way, for each request its own", () =>
    withTestService({ options: { profile: "public-network" }, script: ending() }, (testService) =>
      Effect.gen(function* () {
        const { key } = testService.command()
        const other = { key: { ...key, execInputs: fromUtf8("x") } }
        yield* execute(testService)
        yield* execute(testService, other)
        const askedAtOnce = Array.from({ length: 20 }, (_, index) =>
          execute(testService, { ...remembered, ...(index % 2 === 0 ? {} : other) })
        )
        const answers = yield* Effect.all(askedAtOnce, { concurrency: "unbounded" })
        expect(new Set(answers.map(({ report }) => report.id)).size).toBe(2)
        while (testService.ledgerCalls.filter((call) => call === "settle").length < 4) yield* Effect.yieldNow()
        yield* (yield* Credits).settled
        expect(runsOf(testService)).toBe(4)
        yield* execute(testService, remembered)
        while (runsOf(testService) < 5) yield* Effect.yieldNow()
      })
    )
  )

  it.effect("is off by default", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        yield* execute(testService)
        yield* execute(testService, remembered)
        yield* Effect.yieldNow()
        yield* (yield* Credits).settled
        expect(runsOf(testService)).toBe(1)
      })
    )
  )
})

describe("injectLastResult", () => {
  const shownTo = (testService: TestService) =>
    testService.requests.findLast(({ phase }) => phase === "exec")?.envs.filter(([name]) => name.startsWith("LAST_RESULT"))

  it.effect("passes the last result or the last success to the next run, in the order that programs expect", () =>
    withTestService({ script: ending(0, 7) }, (testService) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1774850103632 millis")
        yield* execute(testService, { injectLastResult: "last" })
        expect(shownTo(testService)).toEqual([])
        yield* execute(testService)
        expect(shownTo(testService)).toEqual([])
        const injected = yield* execute(testService, { injectLastResult: "last" })
        expect(shownTo(testService)).toEqual([
          ["LAST_RESULT", "7231"],
          ["LAST_RESULT_EXIT_CODE", "7"],
          ["LAST_RESULT_TIMESTAMP", "1774850103633"]
        ])
        yield* execute(testService, { injectLastResult: "success" })
        expect(shownTo(testService)).toEqual([
          ["LAST_RESULT", "7232"],
          ["LAST_RESULT_EXIT_CODE", "0"],
          ["LAST_RESULT_TIMESTAMP", "1774850103634"]
        ])
        const plain = yield* execute(testService)
        expect(injected.report.dataResult.drId).toBe(plain.report.dataResult.drId)
        expect(
          testService.requests
            .filter(({ phase }) => phase === "tally")
            .flatMap(({ envs }) => envs)
            .map(([name]) => name)
        ).not.toContain("LAST_RESULT")
      })
    )
  )
})
