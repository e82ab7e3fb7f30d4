/** A claim is held as long as its run lasts, and at most a lease after its process stopped. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Option, TestClock } from "effect"
import { Idempotency } from "../../ports/idempotency.ts"
import { StoreUnavailable, storeUnavailableIn } from "../../ports/storeUnavailable.ts"
import { withTestService, type TestService } from "../../testdata/testService.ts"
import { Retries } from "./retries.ts"

const answer = { status: 200, body: "the answer" }

const inputOf = ({ project }: TestService, attemptId: string) => ({
  projectId: project.projectId,
  key: "key",
  fingerprint: "asked",
  attemptId
})

/** The retries of another process over the same stores; `silent` ones renew nothing. */
const otherProcess = (silent = false) =>
  Effect.gen(function* () {
    const keys = yield* Idempotency
    const seen = silent ? { ...keys, renew: () => Effect.succeed(true) } : keys
    const layer = Layer.provide(Layer.fresh(Retries.layer), Layer.succeed(Idempotency, seen))
    return Context.get(yield* Layer.build(layer), Retries)
  })

/** Work of 40 seconds, and the run ids with which it was started. */
const longWork = () => {
  const begun: Array<string> = []
  const run = (runId: string) => Effect.sync(() => begun.push(runId)).pipe(Effect.zipRight(Effect.sleep("40 seconds")), Effect.as(answer))
  return { begun, work: { run, recall: () => Effect.succeedNone } }
}

describe("a claim", () => {
  it.scoped("is renewed while its run lasts, even longer than a lease", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        const { begun, work } = longWork()
        const first = yield* Effect.fork((yield* otherProcess()).answerOnce(inputOf(testService, "a1"), work))
        yield* TestClock.adjust("1 second")
        const second = yield* Effect.fork((yield* otherProcess()).answerOnce(inputOf(testService, "a2"), work))
        yield* TestClock.adjust("45 seconds")
        expect(yield* Fiber.join(first)).toEqual({ answer, replayed: false })
        expect(yield* Fiber.join(second)).toEqual({ answer, replayed: true })
        expect(begun).toEqual(["a1"])
      }).pipe(Effect.scoped)
    )
  )

  it.scoped("of a stopped process is taken over after its lease, with its run's id", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        const { begun, work } = longWork()
        yield* Effect.fork((yield* otherProcess(true)).answerOnce(inputOf(testService, "a1"), work))
        yield* TestClock.adjust("1 second")
        const second = yield* Effect.fork((yield* otherProcess()).answerOnce(inputOf(testService, "a2"), work))
        yield* TestClock.adjust("10 seconds")
        expect(begun).toEqual(["a1"])
        yield* TestClock.adjust("10 seconds")
        expect(begun).toEqual(["a1", "a1"])
        yield* TestClock.adjust("40 seconds")
        expect((yield* Fiber.join(second)).answer).toEqual(answer)
      }).pipe(Effect.scoped)
    )
  )

  it.scoped("that was taken over from a run that goes on, and is refused, leaves the key to that run", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        const { begun, work } = longWork()
        // Its claim lapses while it runs: nothing renews it, as where a clock is set forward.
        const slow = yield* otherProcess(true)
        const first = yield* Effect.fork(slow.answerOnce(inputOf(testService, "a1"), work))
        yield* TestClock.adjust("20 seconds")
        const refused = { ...work, run: () => Effect.fail("no credits" as const) }
        expect(yield* Effect.flip((yield* otherProcess()).answerOnce(inputOf(testService, "a2"), refused))).toBe("no credits")
        // The next one asks for the run that had begun, and does not begin another.
        const recalled: Array<string> = []
        const recall = (runId: string) => Effect.sync(() => (recalled.push(runId), Option.some(answer)))
        const third = yield* (yield* otherProcess()).answerOnce(inputOf(testService, "a3"), { ...work, recall })
        expect(third).toEqual({ answer, replayed: true })
        expect([recalled, begun]).toEqual([["a1"], ["a1"]])
        yield* TestClock.adjust("30 seconds")
        expect((yield* Fiber.join(first)).answer).toEqual(answer)
      }).pipe(Effect.scoped)
    )
  )

  it.scoped("whose run failed while nobody can look for its charge says that the store is away, not that the service failed", () =>
    withTestService({}, (testService) =>
      Effect.gen(function* () {
        const away = Effect.die(new StoreUnavailable("it is away"))
        const work = { run: () => Effect.die(new Error("was charged before")), recall: () => away }
        const exit = yield* Effect.exit((yield* otherProcess()).answerOnce(inputOf(testService, "a1"), work))
        expect(Exit.isFailure(exit) && storeUnavailableIn(exit.cause)?.message).toBe("it is away")
      }).pipe(Effect.scoped)
    )
  )
})
