/** An executor in a process of its own, as the compiler built it last. Ends in order on SIGTERM, and when its input ends. */
import { Entropy } from "@sibyl/core"
import { Executor, NatsConnection } from "@sibyl/cluster"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Effect, Fiber, Layer, Logger, LogLevel } from "effect"

const { executor, nats, outbound } = JSON.parse(process.argv[2])

const layer = Executor.layer(executor).pipe(
  Layer.provide([NatsConnection.layer(nats), layerHttpFetch(outbound), Entropy.layer]),
  Layer.provide(Logger.minimumLogLevel(LogLevel.None))
)

const main = Effect.scoped(
  Effect.gen(function* () {
    const context = yield* Layer.build(layer)
    const { id } = context.unsafeMap.get(Executor.key)
    process.stdout.write(`${id}\n`)
    yield* Effect.never
  })
)

const fiber = Effect.runFork(main)
const end = () => void Effect.runPromise(Fiber.interrupt(fiber)).then(() => process.exit(0))
process.once("SIGTERM", end)
process.stdin.once("end", end).resume()
