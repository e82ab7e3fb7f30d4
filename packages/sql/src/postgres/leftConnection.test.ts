/** Who leaves while a connection is being waited for is let go, whether there will be one or not. */
import { Deferred, Effect, Exit, Fiber } from "effect"
import pg from "pg"
import { expect, it } from "vitest"
import type { Plan } from "../database/plan.ts"
import { tryInPipeline } from "./pipelinedTransaction.ts"

it("ends an interrupted transaction whose connection fails", async () => {
  // Nothing listens on port 1: the connection fails in a later turn than the one that asks for it.
  const pool = new pg.Pool({ host: "127.0.0.1", port: 1 })
  const exit = await Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const plan = function* (): Plan<void> {
      yield []
    }
    const fiber = yield* Effect.fork(Effect.zipRight(Deferred.succeed(asked, undefined), tryInPipeline(pool, plan)))
    yield* Deferred.await(asked)
    yield* Effect.yieldNow()
    return yield* Fiber.interrupt(fiber)
  }).pipe(Effect.runPromise)
  expect(Exit.isInterrupted(exit)).toBe(true)
  await pool.end()
})
