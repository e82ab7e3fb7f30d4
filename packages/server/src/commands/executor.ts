/** `sibyl executor`: runs the programs of servers that are somewhere else. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { configurationFlags, executorOptions } from "./settingOptions.ts"

/** The command. */
export const executorCommand = Command.make("executor", executorOptions, ({ json, ...flags }) =>
  Effect.gen(function* () {
    const { loadConfiguration } = yield* Effect.promise(() => import("../config/loadConfiguration.ts"))
    // An error in the configuration is reported before the VM is loaded.
    const configuration = yield* loadConfiguration(configurationFlags(flags))
    const { serveExecutor } = yield* Effect.promise(() => import("../cluster/serveExecutor.ts"))
    return yield* serveExecutor(configuration, json)
  })
).pipe(Command.withDescription("Run the programs of servers with the same --cluster. It has no database and no signing key."))
