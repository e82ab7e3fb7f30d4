/** Jumps of the wall clock: ages still count up, and a result dated in the future counts as old. */
import { Clock, Effect } from "effect"
import { expect, it } from "vitest"
import { ageMsOf } from "../../domain/reports/executionReport.ts"
import { withTestService, type TestService } from "../../testdata/testService.ts"
import { Execution } from "../execution.ts"
import { ResultAges } from "./resultAges.ts"

/** Two clocks in one, each moved by hand. */
const jumpingClock = () => {
  const at = { wallMs: 1_900_000_000_000, steadyMs: 5_000 }
  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => at.wallMs,
    unsafeCurrentTimeNanos: () => BigInt(at.steadyMs) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => at.wallMs),
    currentTimeNanos: Effect.sync(() => BigInt(at.steadyMs) * 1_000_000n),
    sleep: () => Effect.void
  }
  const pass = (ms: number): void => {
    at.wallMs += ms
    at.steadyMs += ms
  }
  const jump = (ms: number): void => {
    at.wallMs += ms
  }
  return { clock, pass, jump }
}

const execute = (testService: TestService, maxAgeSeconds?: number) =>
  Effect.flatMap(Execution, (execution) =>
    execution.execute(testService.command(maxAgeSeconds === undefined ? {} : { returnLastResult: true, maxAgeSeconds }))
  )

const hourMs = 3_600_000

it("the age of a result counts up steadily when the wall clock jumps forward and back", () => {
  const { clock, jump, pass } = jumpingClock()
  const test = withTestService({}, (testService) =>
    Effect.gen(function* () {
      jump(hourMs)
      const { report } = yield* execute(testService)
      jump(-hourMs)
      pass(1_500)
      expect(yield* execute(testService, 2)).toMatchObject({ cachedAgeMs: 1_500, report: { id: report.id } })
      pass(1_000)
      // Too old, so it runs; and so it does when the wall clock comes to the time that was signed.
      expect((yield* execute(testService, 2)).cachedAgeMs).toBeUndefined()
      pass(hourMs - 2_500)
      expect(yield* (yield* ResultAges).ageMs(report)).toBe(hourMs)
    })
  )
  return Effect.runPromise(Effect.withClock(test, clock))
})

it("a result of another process that is dated in the future counts as old", () => {
  const { clock, jump } = jumpingClock()
  const test = withTestService({}, (testService) =>
    Effect.gen(function* () {
      const { report } = yield* execute(testService)
      const stranger = { ...report, id: "another" }
      const { ageMs } = yield* ResultAges
      expect(yield* ageMs(stranger)).toBe(0)
      jump(-2_000)
      expect(yield* ageMs(stranger)).toBe(0)
      jump(-1)
      expect(yield* ageMs(stranger)).toBe(Number.POSITIVE_INFINITY)
      expect(ageMsOf(report, Number(report.dataResult.blockTimestamp) + 7)).toBe(7)
    })
  )
  return Effect.runPromise(Effect.withClock(test, clock))
})
