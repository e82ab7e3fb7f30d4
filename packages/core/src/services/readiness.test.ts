/** Readiness: answered within a second, whatever hangs, and without internal details. */
import { Cause, Context, Effect, Layer, Logger, Redacted, TestClock, TestContext } from "effect"
import { afterEach, expect, it } from "vitest"
import { ProgramRuntime } from "../ports/programRuntime.ts"
import { Signer } from "../ports/signer.ts"
import { StoreCheck } from "../ports/storeCheck.ts"
import { StoreUnavailable } from "../ports/storeUnavailable.ts"
import type { Service } from "../edge/transport/seam.ts"
import { allWell, scriptedRuntime } from "../testdata/scriptedRuntime.ts"
import { type OpenTestService, openTestService, seamRequest } from "../testdata/testService.ts"
import { Readiness } from "./readiness.ts"

let testService: OpenTestService
let service: Service

afterEach(async () => {
  await service.dispose()
  await testService.service.dispose()
})

/** The answer of a service with these parts replaced. */
const answerWith = async (parts: {
  readonly store?: Effect.Effect<void>
  readonly workers?: Effect.Effect<number>
  readonly sign?: Signer["Type"]["sign"]
}) => {
  testService = await openTestService()
  service = await testService.openAnother((stores) => {
    const signer = Context.get(stores, Signer)
    const runtime = Context.get(stores, ProgramRuntime)
    return Layer.mergeAll(
      Layer.succeedContext(stores),
      Layer.succeed(StoreCheck, { check: parts.store ?? Effect.void }),
      Layer.succeed(ProgramRuntime, { ...runtime, readyWorkers: parts.workers ?? Effect.succeed(1) }),
      Layer.succeed(Signer, { ...signer, sign: parts.sign ?? signer.sign })
    )
  })
  return ask()
}

const ask = async () => {
  const startedMs = performance.now()
  const response = await service.fetch(seamRequest("GET", "/ready"))
  // The stated second, ten times over.
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  return { ...response, json: JSON.parse(String(response?.body)) as unknown }
}

const well = { database: "ok", workers: "ok", signer: "ok" }

it("is 200 if every part works", async () => {
  const { json, status } = await answerWith({})
  expect({ status, json }).toEqual({ status: 200, json: { status: "ready", checks: well, problems: [] } })
})

it.each([
  ["database", { store: Effect.never }, "the database did not answer within 800 ms"],
  ["database", { store: Effect.die(new StoreUnavailable("password swordfish")) }, "the database cannot be used now"],
  ["database", { store: Effect.uninterruptible(Effect.sleep(2_000)) }, "the database did not answer within 800 ms"],
  ["workers", { workers: Effect.succeed(0) }, "the workers did not answer within 800 ms"],
  ["signer", { sign: () => Effect.never }, "the signer did not answer within 800 ms"],
  ["signer", { sign: () => Effect.succeed(new Uint8Array(64)) }, "the signer cannot be used now"]
])("is 503 and names the %s that hangs or fails", async (part, parts, problem) => {
  const { headers, json, status } = await answerWith(parts)
  expect(status).toBe(503)
  expect(headers?.["retry-after"]).toBe("1")
  expect(json).toEqual({ status: "unready", checks: { ...well, [part]: "failed" }, problems: [problem] })
})

it("logs the words of a database that is away, and where a fault of another kind comes from", async () => {
  const lines: Array<readonly [message: unknown, cause: boolean]> = []
  const logger = Logger.make(({ cause, message }) => void lines.push([message, Cause.isEmpty(cause)]))
  const logged = (check: Effect.Effect<void>) =>
    Effect.gen(function* () {
      yield* (yield* Readiness).check
    }).pipe(
      Effect.provide(Readiness.layer),
      Effect.provideService(StoreCheck, { check }),
      Effect.provideService(ProgramRuntime, { ...scriptedRuntime(allWell).runtime, readyWorkers: Effect.succeed(1) }),
      Effect.provide(Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1)))),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.runPromise
    )
  testService = await openTestService()
  service = testService.service
  await logged(Effect.die(new StoreUnavailable("no connection")))
  await logged(Effect.die(new Error("a fault")))
  expect(lines).toEqual([
    [["not ready: the database failed: no connection"], true],
    [["not ready: the database failed"], false]
  ])
})

it("logs when a part fails and when it is back, however often it is asked meanwhile", async () => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => void lines.push(message))
  const away = Effect.die(new StoreUnavailable("no connection"))
  const checks = [away, away, Effect.void, Effect.void, Effect.never, away, Effect.void]
  const afterAnother = Effect.flatMap(Readiness, ({ check }) => Effect.zipLeft(check, TestClock.adjust("1 second"), { concurrent: true }))
  const asked = Effect.repeatN(afterAnother, checks.length - 1)
  testService = await openTestService()
  service = testService.service
  await asked.pipe(
    Effect.provide(Readiness.layer),
    Effect.provideService(StoreCheck, { check: Effect.suspend(() => checks.shift() ?? Effect.void) }),
    Effect.provideService(ProgramRuntime, { ...scriptedRuntime(allWell).runtime, readyWorkers: Effect.succeed(1) }),
    Effect.provide(Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1)))),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Effect.provide(TestContext.TestContext),
    Effect.runPromise
  )
  expect(lines.flat()).toEqual([
    "not ready: the database failed: no connection",
    "ready again: the database can be used",
    "not ready: the database did not answer within 800 ms",
    "ready again: the database can be used"
  ])
})

it("checks the parts once for many concurrent requests", async () => {
  let asked = 0
  await answerWith({ store: Effect.sync(() => void (asked += 1)) })
  const before = asked
  await Promise.all(Array.from({ length: 50 }, ask))
  expect(asked - before).toBeLessThan(10)
})

it("is 503 while the service drains", async () => {
  await answerWith({})
  const [closing] = [service.dispose()]
  let last = await service.fetch(seamRequest("GET", "/ready"))
  await closing
  last = await service.fetch(seamRequest("GET", "/ready"))
  expect(last?.status).toBe(503)
})
