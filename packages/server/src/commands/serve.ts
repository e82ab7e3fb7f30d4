/** `sibyl serve`: a service on embedded defaults, with a demonstration on top when asked. */
import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Command, Options } from "@effect/cli"
import { Config, Data, Effect } from "effect"
import { prepareDemo } from "../demo/demoProject.ts"
import { firstExecution } from "../demo/firstExecution.ts"
import { demoUpstream } from "../demo/demoUpstream.ts"
import { showBanner, showExecution, showInvitation } from "../demo/showDemo.ts"
import type { Listen } from "../listen/listening.ts"
import { localNetwork, openSibyl } from "../openSibyl.ts"
import { serverVersion } from "../version.ts"

const defaultPort = 8717

const options = {
  host: Options.text("host").pipe(
    Options.withDescription("the address to listen on"),
    Options.withFallbackConfig(Config.string("SIBYL_HOST")),
    Options.withDefault("127.0.0.1")
  ),
  port: Options.integer("port").pipe(
    Options.withDescription("the port to listen on; 0 takes a free one"),
    Options.withFallbackConfig(Config.integer("SIBYL_PORT")),
    Options.withDefault(defaultPort)
  ),
  data: Options.text("data").pipe(
    Options.withDescription("the folder that holds the database"),
    Options.withFallbackConfig(Config.string("SIBYL_DATA")),
    Options.withDefault(".sibyl")
  ),
  network: Options.text("network").pipe(
    Options.withDescription("the network's name; it stands in every key"),
    Options.withFallbackConfig(Config.string("SIBYL_NETWORK")),
    Options.withDefault(localNetwork.name)
  ),
  chainId: Options.text("chain-id").pipe(
    Options.withDescription("what programs see as CHAIN_ID"),
    Options.withFallbackConfig(Config.string("SIBYL_CHAIN_ID")),
    Options.withDefault(localNetwork.chainId)
  ),
  demo: Options.boolean("demo").pipe(
    Options.withDescription("deploy the example programs, make a project with credits and a key, and run one execution")
  ),
  live: Options.boolean("live").pipe(
    Options.withDescription("with --demo: fetch from the real hosts instead of the market simulator")
  )
}

/** What `sibyl serve` was told. */
export interface ServeSettings {
  readonly host: string
  readonly port: number
  readonly data: string
  readonly network: string
  readonly chainId: string
  readonly demo: boolean
  readonly live: boolean
}

/** The data folder cannot be used: not writable, another network's, or damaged. */
export class CannotOpen extends Data.TaggedError("CannotOpen")<{ readonly message: string; readonly cause: unknown }> {}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Serves until it is interrupted; then running work is finished and everything is released. */
export const serve = (listen: Listen, settings: ServeSettings) =>
  Effect.scoped(
    Effect.gen(function*() {
      const data = resolve(settings.data)
      yield* Effect.promise(() => mkdir(data, { recursive: true, mode: 0o700 }))
      const upstream = settings.demo && !settings.live ? yield* demoUpstream : {}
      const oracle = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () =>
            openSibyl({
              database: join(data, "sibyl.sqlite"),
              network: { name: settings.network, chainId: settings.chainId },
              outbound: upstream,
              serverVersion
            }),
          catch: (cause) => new CannotOpen({ message: `cannot open ${data}: ${messageOf(cause)}`, cause })
        }),
        (opened) => Effect.promise(() => opened.close())
      )
      const listening = yield* listen(oracle.service, { host: settings.host, port: settings.port })
      // Runs first on the way out: while running work ends, health says so, and only then does the server stop listening.
      yield* Effect.addFinalizer(() => Effect.promise(() => oracle.service.dispose()))
      yield* showBanner(listening, data)
      if (settings.demo) {
        const demo = yield* prepareDemo(oracle, data, listening.url)
        yield* showExecution(yield* firstExecution(demo))
        yield* showInvitation(demo)
      }
      return yield* Effect.never
    })
  )

/** The command. */
export const serveCommand = (listen: Listen) =>
  Command.make("serve", options, (settings) => serve(listen, settings)).pipe(
    Command.withDescription("Serve the REST interface. Stop it with Ctrl-C.")
  )
