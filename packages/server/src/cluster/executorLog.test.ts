/** The log of an executor: each line is written once. */
import { tmpdir } from "node:os"
import { startNats } from "@sibyl/testing"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { ownRuntime } from "../crash/testdata/site.ts"
import { StartedServer } from "../testdata/startedServer.ts"
import { describeNats } from "./testdata/describeNats.ts"

describeNats("the log of an executor", () => {
  test("says once that NATS is away, and once that it is back", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const nats = yield* startNats()
          const started = Effect.sync(
            () =>
              new StartedServer(
                ownRuntime,
                ["executor", "--cluster", nats.url, "--workers", "1", "--json", "--log-format", "json"],
                tmpdir()
              )
          )
          const executor = yield* Effect.acquireRelease(started, (one) => Effect.promise(() => one.stop("SIGKILL")))
          const told = (pattern: RegExp) => Effect.promise(() => executor.until(pattern))
          yield* told(/^\{"executor":.*\}$/m)
          yield* nats.stop
          yield* told(/the connection to NATS at .* is lost/)
          yield* nats.start
          yield* told(/connected to NATS at .* again/)
          // It has written all that it has to say when it has ended.
          expect(yield* Effect.promise(() => executor.stop("SIGTERM"))).toMatchObject({ code: 0 })
          expect(executor.output.match(/the connection to NATS at .* is lost/g)).toHaveLength(1)
          expect(executor.output.match(/connected to NATS at .* again/g)).toHaveLength(1)
        })
      )
    ))
})
