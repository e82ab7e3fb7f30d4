/** An executor in a process of its own, for the benchmark: no way out but to loopback. */
import { Entropy } from "@sibyl/core"
import { Executor, NatsConnection } from "@sibyl/cluster"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Effect, Layer, Logger, LogLevel } from "effect"

const { executor, origin, url } = JSON.parse(process.argv[2])

const layer = Executor.layer(executor).pipe(
  Layer.provide([NatsConnection.layer({ servers: [url] }), layerHttpFetch({ hostOverrides: { "u.test": origin } }), Entropy.layer]),
  Layer.provide(Logger.minimumLogLevel(LogLevel.None))
)

// Ends with the process that started it.
process.stdin.once("end", () => process.exit(0)).resume()
Effect.runFork(
  Effect.scoped(
    Effect.zipRight(
      Layer.build(layer),
      Effect.zipRight(
        Effect.sync(() => process.stdout.write("ready\n")),
        Effect.never
      )
    )
  )
)
