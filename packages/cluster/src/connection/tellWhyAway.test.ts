/** What stands between us and NATS is told once it lasts, and again when it is another thing. */
import { Effect, Fiber, Logger, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { NatsRefused, NatsUnreachable } from "./natsErrors.ts"
import { tellWhyAway } from "./tellWhyAway.ts"

const down = new NatsUnreachable({ servers: [], message: "connection refused" })
const expired = new NatsRefused({ servers: [], message: "certificate has expired" })

it("tells each obstacle once, and nothing of a connection that is there", async () => {
  const lines: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void lines.push(String(message)))
  )
  // What each look finds, 5 s apart; `up`: there is a connection.
  const found = ["up", down, down, expired, expired, undefined, "up", expired, "up"] as const
  let at = 0
  let tries = 0
  const obstacle = Effect.sync(() => {
    tries += 1
    const one = found[at]
    return one === "up" ? undefined : one
  })
  const told = Effect.gen(function* () {
    const fiber = yield* Effect.fork(tellWhyAway(() => found[at] === "up", obstacle))
    for (at = 0; at < found.length; at += 1) yield* TestClock.adjust(5_000)
    yield* Fiber.interrupt(fiber)
  })
  await Effect.runPromise(Effect.provide(told, [TestContext.TestContext, logger]))
  const whys = ["connection refused", "certificate has expired", "certificate has expired"]
  expect(lines).toEqual(whys.map((why) => `still without NATS: ${why}`))
  expect(tries).toBe(6)
})
