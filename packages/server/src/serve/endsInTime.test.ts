/** A server that is asked to end: what it says, and that it has ended in time. */
import { Effect, Fiber, Logger, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { endsInTime } from "./endsInTime.ts"

/** What is logged of a server whose release takes so long, in ms, and how often it was ended from within. */
const endOf = async (releaseMs: number) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel._tag} ${[message].flat().join(" ")}`))
  let ended = 0
  const serving = Effect.gen(function* () {
    const ready = yield* endsInTime(() => void (ended += 1))
    yield* Effect.addFinalizer(() => Effect.sleep(releaseMs))
    yield* ready
    return yield* Effect.never
  })
  await Effect.runPromise(
    Effect.gen(function* () {
      const server = yield* Effect.fork(Effect.scoped(serving))
      // As long as it serves, no time counts.
      yield* TestClock.adjust("1 hour")
      const end = yield* Effect.fork(Fiber.interrupt(server))
      yield* TestClock.adjust("2 minutes")
      yield* Fiber.join(end)
      yield* TestClock.adjust("2 minutes")
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)), Effect.provide(TestContext.TestContext))
  )
  return { ended, lines }
}

test("an end that is quick is not told", async () => {
  expect(await endOf(1_000)).toEqual({ ended: 0, lines: [] })
})

test("an end that takes a while says what it waits for", async () => {
  const { ended, lines } = await endOf(45_000)
  expect(ended).toBe(0)
  expect(lines).toEqual(["Info the server ends: what is running is waited for, 50 s at most"])
})

test("what does not end is not waited for any longer", async () => {
  const { ended, lines } = await endOf(76_000)
  expect(ended).toBe(1)
  expect(lines).toEqual([
    expect.stringMatching(/^Info the server ends/),
    expect.stringMatching(/^Error the server ends with work that is not done/)
  ])
})
