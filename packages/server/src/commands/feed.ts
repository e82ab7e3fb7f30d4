/** `sibyl feed`: runs feeds on a server and prints every run as it comes in. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { Command, Options } from "@effect/cli"
import { programIdOf } from "@sibyl/core"
import { Config, Effect, Option, Redacted } from "effect"
import { btcUsd } from "../demo/firstExecution.ts"
import { runFeeds } from "./feedSession.ts"
import { FeedFailed, openFeedSocket, webSocketAddress } from "./feedSocket.ts"
import { isColoured } from "../output/paint.ts"
import { type FeedMode, feedView } from "./feedView.ts"

const modes = ["FIXED", "SEQUENTIAL", "PARALLEL"] as const satisfies ReadonlyArray<FeedMode>

const options = {
  url: Options.text("url").pipe(
    Options.withDescription("the server"),
    Options.withFallbackConfig(Config.string("SIBYL_URL")),
    Options.withDefault("http://127.0.0.1:8717")
  ),
  key: Options.redacted("key").pipe(
    Options.withDescription("the API key; a key file keeps it out of the list of processes"),
    Options.withFallbackConfig(Config.redacted("SIBYL_KEY")),
    Options.optional
  ),
  keyFile: Options.text("key-file").pipe(
    Options.withDescription("the file that holds the API key"),
    Options.withDefault(".sibyl/demo-key")
  ),
  program: Options.text("program").pipe(
    Options.withDescription("the program's id; without it the crypto-price example"),
    Options.optional
  ),
  inputs: Options.text("inputs").pipe(
    Options.withDescription("the program's inputs; without them BTC/USD for the crypto-price example"),
    Options.withDefault(JSON.stringify({ id: btcUsd, output_format: "json" }))
  ),
  mode: Options.choice("mode", [...modes, "all"]).pipe(
    Options.withDescription("how runs follow each other; all: the three modes side by side"),
    Options.withDefault("FIXED")
  ),
  periodMs: Options.integer("period").pipe(
    Options.withDescription("the period in milliseconds"),
    Options.withDefault(250)
  ),
  count: Options.integer("count").pipe(
    Options.withDescription("stop after so many runs of each feed"),
    Options.optional
  ),
  json: Options.boolean("json").pipe(Options.withDescription("print one JSON object a line"))
}

/** What `sibyl feed` was told. */
export interface FeedSettings {
  readonly url: string
  readonly key: Option.Option<Redacted.Redacted>
  readonly keyFile: string
  readonly program: Option.Option<string>
  readonly inputs: string
  readonly mode: FeedMode | "all"
  readonly periodMs: number
  readonly count: Option.Option<number>
  readonly json: boolean
}

const keyOf = ({ key, keyFile }: FeedSettings): Effect.Effect<Redacted.Redacted, FeedFailed> =>
  Option.match(key, {
    onSome: Effect.succeed,
    onNone: () =>
      Effect.tryPromise({
        try: async () => Redacted.make((await readFile(keyFile, "utf8")).trim()),
        catch: () =>
          new FeedFailed({
            message:
              `there is no key in ${keyFile}; start \`sibyl serve --demo\` in this folder, or say --key or --key-file`
          })
      })
  })

const exampleProgramId = Effect.promise(async () =>
  programIdOf(await readFile(createRequire(import.meta.url).resolve("@sibyl/programs/crypto-price.wasm")))
)

const print = (lines: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const line of lines) process.stdout.write(`${line}\n`)
  })

/** Ends when whoever reads our output has gone, as `head` does. */
const readerGone = Effect.async<void>((resume) => {
  const gone = (): void => resume(Effect.void)
  process.stdout.once("error", gone)
  return Effect.sync(() => process.stdout.off("error", gone))
})

/** Runs the feeds until they have run often enough or the connection ends. */
export const feed = (settings: FeedSettings) =>
  Effect.scoped(
    Effect.gen(function*() {
      const { json, periodMs } = settings
      const count = Option.getOrUndefined(settings.count)
      if (count !== undefined && count < 1) return yield* new FeedFailed({ message: "--count must be 1 or more" })
      const asked = settings.mode === "all" ? modes : [settings.mode]
      const address = yield* webSocketAddress(settings.url)
      const key = yield* keyOf(settings)
      const execProgramId = yield* Option.match(settings.program, {
        onSome: Effect.succeed,
        onNone: () => exampleProgramId
      })
      const view = feedView(asked, { json, coloured: isColoured(process.stdout) })
      const socket = yield* openFeedSocket(address, key)
      const wish = {
        modes: asked,
        periodMs,
        execute: { execProgramId, execInputs: settings.inputs, encoding: "json" },
        count
      }
      yield* runFeeds(socket, wish, {
        authorized: (organization, credits) =>
          json
            ? Effect.void
            : print([`connected to ${address} as ${organization}, ${credits} credits remaining`, "", ...view.head]),
        ran: (received) => print([view.line(received)])
      }).pipe(Effect.raceFirst(readerGone))
    })
  )

/** The command. */
export const feedCommand = Command.make("feed", options, feed).pipe(
  Command.withDescription("Run a program periodically on a server and print every run. Stop it with Ctrl-C.")
)
