/** What keeps a run from starting: a full service, a usage limit, closed admission; a refusal costs nothing (decision D15). */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, TestClock } from "effect"
import { Ledger } from "../../ports/ledger.ts"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { layerTestPricing, withTestService, type TestService } from "../../testdata/testService.ts"
import { Admission } from "./admission.ts"
import { Execution } from "../execution.ts"

const execute = (testService: TestService, project = testService.project) =>
  Effect.either(Effect.flatMap(Execution, (execution) => execution.execute(testService.command({ project }))))

const refusalOf = <A, E>(result: Either.Either<A, E>): E | undefined => Either.getOrUndefined(Either.flip(result))

describe("maxRunsInFlight", () => {
  it.effect("refuses a project's run beyond half of the capacity, before it holds credits, and admits other projects", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const script: Script = () => Effect.as(Deferred.await(go), outcome())
      yield* withTestService({ script, options: { maxRunsInFlight: 6 } }, (testService) =>
        Effect.gen(function* () {
          const running = yield* Effect.forkAll(Array.from({ length: 3 }, () => execute(testService)))
          while (testService.requests.length < 3) yield* Effect.yieldNow()
          for (let more = 0; more < 3; more += 1) {
            expect(refusalOf(yield* execute(testService))).toMatchObject({
              _tag: "Overloaded",
              status: 503,
              retryAfterSeconds: 1
            })
          }
          expect(testService.ledgerCalls).toEqual(["hold", "hold", "hold"])
          const other = yield* Effect.orDie(testService.provisioning.createProject({ organizationSlug: "others" }))
          yield* Effect.orDie(testService.provisioning.grant(other.projectId, 1_000_000n))
          const theirs = yield* Effect.fork(execute(testService, other))
          while (testService.requests.length < 4) yield* Effect.yieldNow()
          yield* Deferred.succeed(go, undefined)
          expect((yield* Fiber.join(running)).every(Either.isRight)).toBe(true)
          expect(Either.isRight(yield* Fiber.join(theirs))).toBe(true)
          expect(Either.isRight(yield* execute(testService))).toBe(true)
        })
      )
    })
  )

  it.effect("counts those that are coming with those in flight, where it only says whether there is room", () =>
    withTestService({ options: { maxRunsInFlight: 6 } }, ({ command }) =>
      Effect.gen(function* () {
        const { refusal } = yield* Admission
        const isRefused = (own: number, all: number) => refusal(command().project, { own, all }) !== undefined
        // With two of its own to come, a third one takes half of the places.
        expect([isRefused(0, 0), isRefused(2, 2), isRefused(3, 3), isRefused(0, 5), isRefused(0, 6)]).toEqual([
          false,
          false,
          true,
          false,
          true
        ])
      })
    )
  )

  it.effect("releases the place of a run that fails", () => {
    const script: Script = () => Effect.die("broken")
    return withTestService({ script, options: { maxRunsInFlight: 1 } }, (testService) =>
      Effect.gen(function* () {
        const attempt = Effect.exit(execute(testService))
        for (let times = 0; times < 3; times += 1) expect((yield* attempt)._tag).toBe("Failure")
        expect(testService.ledgerCalls).toEqual(["hold", "void", "hold", "void", "hold", "void"])
      })
    )
  })

  it.effect("releases the place if the credits do not suffice", () =>
    withTestService({ credits: 0n, options: { maxRunsInFlight: 1 } }, (testService) =>
      Effect.gen(function* () {
        for (let times = 0; times < 3; times += 1) {
          expect(refusalOf(yield* execute(testService))).toMatchObject({ _tag: "InsufficientCredits", status: 403 })
        }
        expect(testService.requests).toEqual([])
      })
    )
  )
})

describe("closed admission", () => {
  it.effect("refuses every run with the reason", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        const admission = yield* Admission
        expect(yield* admission.isOpen).toBe(true)
        yield* admission.close
        expect(yield* admission.isOpen).toBe(false)
        expect(refusalOf(yield* execute(testService))).toMatchObject({ _tag: "Overloaded" })
        expect(testService.ledgerCalls).toEqual([])
      })
    )
  )
})

describe("a usage limit", () => {
  it.effect("refuses with the time to wait, counts holds, and resets with the next period", () => {
    const project = { usageLimit: { periodMs: 60_000, credits: 2n } }
    return withTestService({ project, pricing: layerTestPricing }, (testService) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("12500 millis")
        expect(Either.isRight(yield* execute(testService))).toBe(true)
        expect(Either.isRight(yield* execute(testService))).toBe(true)
        expect(refusalOf(yield* execute(testService))).toMatchObject({
          _tag: "CreditLimitExceeded",
          status: 429,
          retryAfterSeconds: 48,
          details: { required: "1", limit: "2", used: "2" }
        })
        yield* TestClock.adjust("48 seconds")
        expect(Either.isRight(yield* execute(testService))).toBe(true)
        const { periodUsed, used } = yield* (yield* Ledger).balance(testService.project)
        expect({ periodUsed, used }).toEqual({ periodUsed: 1n, used: 3n })
      })
    )
  })

  it.effect("is checked after the balance", () =>
    withTestService({ credits: 0n, project: { usageLimit: { periodMs: 60_000, credits: 0n } } }, (testService) =>
      Effect.gen(function* () {
        expect(refusalOf(yield* execute(testService))).toMatchObject({ _tag: "InsufficientCredits" })
      })
    )
  )
})
