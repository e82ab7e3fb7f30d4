/** A claim is held as long as its run lasts, and at most a lease after its process stopped. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, TestClock } from "effect"
import { Idempotency } from "../ports/idempotency.ts"
import { withTestService, type TestService } from "../testdata/testService.ts"
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
})
