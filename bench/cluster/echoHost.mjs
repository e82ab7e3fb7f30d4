/** Sends every message back, in a process of its own: what NATS alone costs between two processes. */
import { NatsConnection } from "@sibyl/cluster"
import { Effect } from "effect"

// Ends with the process that started it.
process.stdin.once("end", () => process.exit(0)).resume()
Effect.runFork(
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* NatsConnection
      yield* connection.subscribe("echo", ({ data, reply }) => connection.publish(reply ?? "", data))
      yield* connection.flushed
      process.stdout.write("ready\n")
      yield* Effect.never
    }).pipe(Effect.provide(NatsConnection.layer({ servers: [process.argv[2]] })))
  )
)
