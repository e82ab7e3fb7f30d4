/** What the log has of a store that is away: a line when it goes, one when it is back, and few in between. */
import { Clock, Effect, Fiber, HashMap, Layer, Logger, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { onceReachable } from "../../services/credits/onceReachable.ts"
import { StoreCheck } from "../storeCheck.ts"
import { StoreUnavailable } from "../storeUnavailable.ts"
import { StoreOutage } from "./storeOutage.ts"

/** The lines that `work` leads to, with a store that is away while `isAway` says so. */
const linesOf = async (isAway: () => boolean, work: Effect.Effect<void>) => {
  const lines: Array<readonly [level: string, message: string, facts: unknown]> = []
  const logger = Logger.make(({ annotations, logLevel, message }) => {
    lines.push([logLevel._tag, [message].flat().join(" "), Object.fromEntries(HashMap.toEntries(annotations))])
  })
  const check = Effect.suspend(() => (isAway() ? Effect.die(new StoreUnavailable("no connection")) : Effect.void))
  const layer = Layer.provide(StoreOutage.layer, Layer.succeed(StoreCheck, { check }))
  const logging = Logger.replace(Logger.defaultLogger, logger)
  await Effect.runPromise(work.pipe(Effect.provide(layer), Effect.provide(logging), Effect.provide(TestContext.TestContext)))
  return lines
}

const refusal = Effect.annotateLogs(
  Effect.flatMap(StoreOutage, ({ refused }) => refused("a request was refused")),
  { requestId: "7" }
)

const first = ["Warning", "a request was refused; more refusals are counted until it is back", { requestId: "7" }]

test("a flood of refusals is a line when the store goes and one when it is back", async () => {
  let isAway = true
  const lines = await linesOf(
    () => isAway,
    Effect.gen(function* () {
      yield* Effect.repeatN(refusal, 9_999)
      yield* TestClock.adjust("14 seconds")
      isAway = false
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("1 hour")
    })
  )
  // Without what the request that met it first has in its lines.
  expect(lines).toEqual([first, ["Info", "the database is back", { seconds: 15, refused: 10_000 }]])
})

test("a long outage is told again each minute", async () => {
  const lines = await linesOf(
    () => true,
    Effect.gen(function* () {
      yield* refusal
      yield* Effect.repeatN(TestClock.adjust("1 second"), 124)
    })
  )
  expect(lines.map(([, message]) => message)).toEqual([
    first[1],
    "the database is still away",
    "the database is still away",
    "the database is still away at the end"
  ])
})

test("a store that accepts changes and goes on to refuse requests is not back", async () => {
  const lines = await linesOf(
    () => false,
    Effect.gen(function* () {
      yield* Effect.repeatN(Effect.zipRight(refusal, TestClock.adjust("900 millis")), 9)
      yield* TestClock.adjust("2 seconds")
    })
  )
  expect(lines.map(([, message]) => message)).toEqual([first[1], "the database is back"])
})

test("a store that accepts changes and keeps a finished run waiting is not back", async () => {
  const ask = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs < 9_500) yield* Effect.die(new StoreUnavailable("no space left"))
  })
  const lines = await linesOf(
    () => false,
    Effect.gen(function* () {
      const run = yield* Effect.fork(onceReachable(ask))
      yield* TestClock.adjust("9 seconds")
      yield* Effect.logInfo("9 s later")
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(run)
    })
  )
  expect(lines.map(([, message]) => message)).toEqual([
    "finished runs wait for the database: no space left",
    "9 s later",
    "the database is back"
  ])
})

test("other work has a line for the first of each kind in an outage", async () => {
  const met = (kind: string) => Effect.flatMap(StoreOutage, ({ met }) => met(kind, "no connection"))
  const outage = Effect.gen(function* () {
    yield* Effect.repeatN(met("runs wait"), 9)
    yield* Effect.repeatN(met("a lease was not renewed"), 9)
    yield* TestClock.adjust("1 second")
  })
  const lines = await linesOf(() => false, Effect.repeatN(outage, 1))
  const expected = [
    ["Warning", "runs wait: no connection", {}],
    ["Warning", "a lease was not renewed: no connection", {}],
    ["Info", "the database is back", { seconds: 1, refused: 0 }]
  ]
  expect(lines).toEqual([...expected, ...expected])
})

test("without the layer each refusal and each failure is a line", async () => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => void lines.push(message))
  const met = Effect.flatMap(StoreOutage, ({ met }) => met("runs wait", "no connection"))
  const work = Effect.repeatN(Effect.zipRight(refusal, met), 2)
  await Effect.runPromise(Effect.provide(work, Logger.replace(Logger.defaultLogger, logger)))
  expect(lines).toHaveLength(6)
})
