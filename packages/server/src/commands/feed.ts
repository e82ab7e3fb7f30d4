/** `sibyl feed`: runs feeds on a server and prints every run as it comes in. */
import { Command, Options } from "@effect/cli"
import { feedModes } from "@sibyl/core"
import { Effect } from "effect"
import { btcUsd } from "../serve/demo/btcUsd.ts"
import { feedKey } from "../feed/feedKey.ts"
import { serverAddress } from "../feed/serverAddress.ts"

/** Where the server is, and whose key is used. */
export const feedPlaceOptions = {
  url: Options.text("url").pipe(
    Options.withDescription("the server (default: http://127.0.0.1:8717; environment: SIBYL_URL, or SIBYL_PORT and SIBYL_PREFIX)"),
    Options.optional
  ),
  key: Options.redacted("key").pipe(
    Options.withDescription("the API key; a key file keeps it out of the list of processes (environment: SIBYL_KEY)"),
    Options.optional
  ),
  keyFile: Options.text("key-file").pipe(
    Options.withDescription("the file that holds the API key (default: demo-key in the data folder, SIBYL_DATA or .sibyl)"),
    Options.optional
  )
}

const options = {
  ...feedPlaceOptions,
  program: Options.text("program").pipe(
    Options.withDescription("the program's id or name; without it the crypto-price example"),
    Options.optional
  ),
  inputs: Options.text("inputs").pipe(
    Options.withDescription("the program's inputs; without them BTC/USD for the crypto-price example"),
    Options.withDefault(JSON.stringify({ id: btcUsd, output_format: "json" }))
  ),
  mode: Options.choice("mode", [...feedModes, "all"]).pipe(
    Options.withDescription("how runs follow each other; all: the three modes side by side (default: FIXED)"),
    Options.withDefault("FIXED")
  ),
  periodMs: Options.integer("period").pipe(Options.withDescription("the period in milliseconds (default: 250)"), Options.withDefault(250)),
  share: Options.boolean("share").pipe(
    Options.withDescription("one run for each tick, shared with everyone of the project who asks for the same feed")
  ),
  count: Options.integer("count").pipe(Options.withDescription("stop after so many runs of each feed, 1 or more"), Options.optional),
  json: Options.boolean("json").pipe(Options.withDescription("print one JSON object a line"))
}

/** The command. */
export const feedCommand = Command.make("feed", options, ({ key, keyFile, url, ...settings }) =>
  Effect.gen(function* () {
    const address = yield* serverAddress(url, process.env, "webSocket")
    const ofKey = yield* feedKey({ key, keyFile }, process.env)
    const { feed } = yield* Effect.promise(() => import("../feed/runFeed.ts"))
    return yield* feed({ ...settings, ...ofKey, url: address })
  })
).pipe(Command.withDescription("Run a program periodically on a server and print every run. Stop it with Ctrl-C."))
