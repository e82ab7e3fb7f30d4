/** What keeps a run from starting: a full service, a usage limit, a closed door; none of them costs (decision D15). */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, TestClock } from "effect"
import { Ledger } from "../ports/ledger.ts"
import { outcome, type Script } from "../testdata/scriptedRuntime.ts"
import { layerTestPricing, inWorld, type World } from "../testdata/world.ts"
import { Admission } from "./admission.ts"
import { Execution } from "./execution.ts"

const execute = (world: World, project = world.project) =>
  Effect.either(Effect.flatMap(Execution, (execution) => execution.execute(world.command({ project }))))

const refusalOf = <A, E>(result: Either.Either<A, E>): E | undefined => Either.getOrUndefined(Either.flip(result))

describe("maxRunsInFlight", () => {
  it.effect("turns away a project's run beyond half of the room, before it holds anything, and lets others in", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const script: Script = () => Effect.as(Deferred.await(go), outcome())
      yield* inWorld({ script, options: { maxRunsInFlight: 6 } }, (world) =>
        Effect.gen(function* () {
          const running = yield* Effect.forkAll(Array.from({ length: 3 }, () => execute(world)))
          while (world.requests.length < 3) yield* Effect.yieldNow()
          for (let more = 0; more < 3; more += 1) {
            expect(refusalOf(yield* execute(world))).toMatchObject({
              _tag: "Overloaded",
              status: 503,
              retryAfterSeconds: 1
            })
          }
          expect(world.ledgerCalls).toEqual(["hold", "hold", "hold"])
          const other = yield* Effect.orDie(world.provisioning.createProject({ organizationSlug: "others" }))
          yield* Effect.orDie(world.provisioning.grant(other.projectId, 1_000_000n))
          const theirs = yield* Effect.fork(execute(world, other))
          while (world.requests.length < 4) yield* Effect.yieldNow()
          yield* Deferred.succeed(go, undefined)
          expect((yield* Fiber.join(running)).every(Either.isRight)).toBe(true)
          expect(Either.isRight(yield* Fiber.join(theirs))).toBe(true)
          expect(Either.isRight(yield* execute(world))).toBe(true)
        })
      )
    })
  )

  it.effect("gives the room back when a run could not be paid for or broke", () => {
    const script: Script = () => Effect.die("broken")
    return inWorld({ script, options: { maxRunsInFlight: 1 } }, (world) =>
      Effect.gen(function* () {
        const attempt = Effect.exit(execute(world))
        for (let times = 0; times < 3; times += 1) expect((yield* attempt)._tag).toBe("Failure")
        expect(world.ledgerCalls).toEqual(["hold", "void", "hold", "void", "hold", "void"])
      })
    )
  })

  it.effect("gives the room back when the credits do not suffice", () =>
    inWorld({ credits: 0n, options: { maxRunsInFlight: 1 } }, (world) =>
      Effect.gen(function* () {
        for (let times = 0; times < 3; times += 1) {
          expect(refusalOf(yield* execute(world))).toMatchObject({ _tag: "InsufficientCredits", status: 403 })
        }
        expect(world.requests).toEqual([])
      })
    )
  )
})

describe("a closed door", () => {
  it.effect("lets nothing in, and says so", () =>
    inWorld({}, (world) =>
      Effect.gen(function* () {
        const admission = yield* Admission
        expect(yield* admission.isOpen).toBe(true)
        yield* admission.close
        expect(yield* admission.isOpen).toBe(false)
        expect(refusalOf(yield* execute(world))).toMatchObject({ _tag: "Overloaded" })
        expect(world.ledgerCalls).toEqual([])
      })
    )
  )
})

describe("a usage limit", () => {
  it.effect("refuses with the time to wait, counts holds, and starts anew with the next period", () => {
    const project = { usageLimit: { periodMs: 60_000, credits: 2n } }
    return inWorld({ project, pricing: layerTestPricing }, (world) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("12500 millis")
        expect(Either.isRight(yield* execute(world))).toBe(true)
        expect(Either.isRight(yield* execute(world))).toBe(true)
        expect(refusalOf(yield* execute(world))).toMatchObject({
          _tag: "CreditLimitExceeded",
          status: 429,
          retryAfterSeconds: 48,
          details: { required: "1", limit: "2", used: "2" }
        })
        yield* TestClock.adjust("48 seconds")
        expect(Either.isRight(yield* execute(world))).toBe(true)
        const { periodUsed, used } = yield* (yield* Ledger).balance(world.project)
        expect({ periodUsed, used }).toEqual({ periodUsed: 1n, used: 3n })
      })
    )
  })

  it.effect("is told after an empty balance, not before", () =>
    inWorld({ credits: 0n, project: { usageLimit: { periodMs: 60_000, credits: 0n } } }, (world) =>
      Effect.gen(function* () {
        expect(refusalOf(yield* execute(world))).toMatchObject({ _tag: "InsufficientCredits" })
      })
    )
  )
})
