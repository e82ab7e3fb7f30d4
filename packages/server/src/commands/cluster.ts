/** `sibyl cluster`: a server, executors and NATS on one machine. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { UsageError } from "../output/failure.ts"
import type { LoadServerRuntime } from "../serve/listen/listening.ts"
import { checkLive, serveOptions } from "./serve.ts"
import { configurationFlags } from "./settingOptions.ts"

const mostExecutors = 256

const options = {
  ...serveOptions,
  executors: Options.integer("executors").pipe(
    Options.withDescription("executors, each a process; workers are of each (default: the processors, divided)"),
    Options.withDefault(2)
  )
}

const inRange = (executors: number) =>
  executors >= 1 && executors <= mostExecutors
    ? Effect.void
    : new UsageError({
        field: "--executors",
        rule: `a whole number from 1 to ${mostExecutors}`,
        message: `--executors must be a whole number from 1 to ${mostExecutors}, not ${executors}`
      })

/** The command. */
export const clusterCommand = (loadRuntime: LoadServerRuntime) =>
  Command.make("cluster", options, ({ demo, executors, json, live, ...flags }) =>
    Effect.gen(function* () {
      yield* inRange(executors)
      yield* checkLive({ demo, live })
      const { loadConfiguration } = yield* Effect.promise(() => import("../config/loadConfiguration.ts"))
      const configuration = yield* loadConfiguration(configurationFlags(flags))
      const { superviseCluster } = yield* Effect.promise(() => import("../cluster/superviseCluster.ts"))
      return yield* superviseCluster(yield* Effect.promise(loadRuntime), { configuration, demo, live, json }, executors)
    })
  ).pipe(Command.withDescription("Serve with executors on this machine: starts NATS (unless --cluster names one), executors and a server."))
