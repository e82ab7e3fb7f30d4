/** `sibyl serve`: serves the service over its database, with `--demo` a demonstration too. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { CommandFailed, UsageError } from "../output/failure.ts"
import type { LoadServerRuntime } from "../serve/listen/listening.ts"
import { configurationFlags, jsonOption, serverOptions } from "./settingOptions.ts"

/** What the server of `sibyl cluster` can be told as well. */
export const serveOptions = {
  ...serverOptions,
  demo: Options.boolean("demo").pipe(
    Options.withDescription("deploy the example programs, make a project with credits and a key, and run one execution")
  ),
  live: Options.boolean("live").pipe(Options.withDescription("with --demo: fetch from the real hosts instead of the market simulator")),
  json: jsonOption
}

/** Whoever says `--live` alone wants a demonstration and has none. */
export const checkLive = ({ demo, live }: { readonly demo: boolean; readonly live: boolean }) =>
  live && !demo ? new UsageError({ field: "--live", rule: "given with --demo", message: "--live must be given with --demo" }) : Effect.void

/** Executors that were started elsewhere send the requests of programs, and know nothing of this process's market simulator. */
const checkMarketIsReachable = ({ cluster }: Configuration, demo: boolean, live: boolean) =>
  demo && !live && cluster !== undefined
    ? Effect.fail(
        new CommandFailed({
          message:
            "--demo with --cluster: executors cannot reach the market simulator of this server; add --live, or use sibyl cluster --demo"
        })
      )
    : Effect.void

/** The command. */
export const serveCommand = (loadRuntime: LoadServerRuntime) =>
  Command.make("serve", serveOptions, ({ demo, json, live, ...flags }) =>
    Effect.gen(function* () {
      yield* checkLive({ demo, live })
      const { loadConfiguration } = yield* Effect.promise(() => import("../config/loadConfiguration.ts"))
      // An error in the configuration is reported before the VM is loaded.
      const configuration = yield* loadConfiguration(configurationFlags(flags))
      yield* checkMarketIsReachable(configuration, demo, live)
      const settings = { configuration, demo, live, json }
      const { forkEdge, listen } = yield* Effect.promise(loadRuntime)
      if (configuration.edges > 1) {
        const { superviseEdges } = yield* Effect.promise(() => import("../serve/edges/superviseEdges.ts"))
        return yield* superviseEdges(forkEdge, settings)
      }
      const { serve } = yield* Effect.promise(() => import("../serve/serve.ts"))
      return yield* serve(listen, settings)
    })
  ).pipe(Command.withDescription("Serve the REST interface and feeds. Stop it with Ctrl-C."))
