/** A wall clock that jumps forward and back again: ages go on counting, and what comes from the future is old. */
import { Clock, Effect } from "effect"
import { expect, it } from "vitest"
import { ageMsOf } from "../domain/reports/executionReport.ts"
import { inWorld, type World } from "../testdata/world.ts"
import { Execution } from "./execution.ts"
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

const execute = (world: World, maxAgeSeconds?: number) =>
  Effect.flatMap(Execution, (execution) =>
    execution.execute(world.command(maxAgeSeconds === undefined ? {} : { returnLastResult: true, maxAgeSeconds }))
  )

const hourMs = 3_600_000

it("the age of a result goes on counting when the wall clock has jumped forward and back", () => {
  const { clock, jump, pass } = jumpingClock()
  const test = inWorld({}, (world) =>
    Effect.gen(function* () {
      jump(hourMs)
      const { report } = yield* execute(world)
      jump(-hourMs)
      pass(1_500)
      expect(yield* execute(world, 2)).toMatchObject({ cachedAgeMs: 1_500, report: { id: report.id } })
      pass(1_000)
      // Too old, so it runs; and so it does when the wall clock comes to the time that was signed.
      expect((yield* execute(world, 2)).cachedAgeMs).toBeUndefined()
      pass(hourMs - 2_500)
      expect(yield* (yield* ResultAges).ageMs(report)).toBe(hourMs)
    })
  )
  return Effect.runPromise(Effect.withClock(test, clock))
})

it("a result from the future that another process made counts as old", () => {
  const { clock, jump } = jumpingClock()
  const test = inWorld({}, (world) =>
    Effect.gen(function* () {
      const { report } = yield* execute(world)
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
