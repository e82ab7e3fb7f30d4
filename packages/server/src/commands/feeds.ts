/** `sibyl feeds`: durable feeds, which a server runs whether or not anybody is connected. */
import { Args, Command, Options } from "@effect/cli"
import { feedModes } from "@sibyl/core"
import { Effect, Either, type Option } from "effect"
import { feedKey } from "../feed/feedKey.ts"
import { serverAddress } from "../feed/serverAddress.ts"
import type { UsageError } from "../output/failure.ts"
import type { FeedsServer } from "../feed/durableFeeds.ts"
import { feedPlaceOptions } from "./feed.ts"

const common = { ...feedPlaceOptions, json: Options.boolean("json").pipe(Options.withDescription("print one JSON document")) }

const feedId = Args.text({ name: "feed" }).pipe(Args.withDescription("the feed's id"))

type Common = Pick<FeedsServer, "key" | "json"> & {
  readonly url: Option.Option<string>
  readonly keyFile: Option.Option<string>
}

const serverOf = ({ json, key, keyFile, url }: Common): Effect.Effect<FeedsServer, UsageError> =>
  Either.map(
    Either.all({ url: serverAddress(url, process.env, "webSocket"), ofKey: feedKey({ key, keyFile }, process.env) }),
    ({ ofKey, url: address }) => ({ json, url: address, ...ofKey })
  )

const load = Effect.promise(() => import("../feed/durableFeeds.ts"))

/** What is asked of a server, whose address is checked first. */
const withServer = (place: Common) => Effect.zip(load, serverOf(place))

const create = Command.make(
  "create",
  {
    program: Options.text("program").pipe(Options.withDescription("the program's id or name")),
    inputs: Options.text("inputs").pipe(Options.withDescription("the program's inputs (default: none)"), Options.withDefault("")),
    mode: Options.choice("mode", feedModes).pipe(
      Options.withDescription("how runs follow each other (default: FIXED)"),
      Options.withDefault("FIXED")
    ),
    periodMs: Options.integer("period").pipe(
      Options.withDescription("the period in milliseconds (default: 1000)"),
      Options.withDefault(1_000)
    ),
    ...common
  },
  ({ inputs, mode, periodMs, program, ...place }) =>
    Effect.flatMap(withServer(place), ([{ createFeed }, server]) => createFeed(server, { program, inputs, mode, periodMs }))
).pipe(Command.withDescription("Add a feed that runs until it is removed, each run charged to the key's project."))

const list = Command.make("list", common, (place) =>
  Effect.flatMap(withServer(place), ([{ listFeeds }, server]) => listFeeds(server))
).pipe(Command.withDescription("List the project's durable feeds."))

const showOne = Command.make("show", { feed: feedId, ...common }, ({ feed, ...place }) =>
  Effect.flatMap(withServer(place), ([{ showFeed }, server]) => showFeed(server, feed))
).pipe(Command.withDescription("Show a feed: its last result and failure, when its next run is due."))

const follow = Command.make(
  "follow",
  {
    feed: feedId,
    after: Options.text("after").pipe(
      Options.withDescription("the place after which to begin, EPOCH:SEQ (default: what starts from now on)"),
      Options.optional
    ),
    count: Options.integer("count").pipe(Options.withDescription("stop after so many results, 1 or more"), Options.optional),
    ...feedPlaceOptions,
    json: Options.boolean("json").pipe(Options.withDescription("print one JSON object a line"))
  },
  ({ after, count, feed, ...place }) =>
    Effect.gen(function* () {
      const server = yield* serverOf(place)
      const { followFeed } = yield* Effect.promise(() => import("../feed/followFeed.ts"))
      return yield* followFeed({ ...server, feedId: feed, after, count })
    })
).pipe(Command.withDescription("Print a feed's results as they come in, from any place on that is still kept. Stop it with Ctrl-C."))

const remove = Command.make("remove", { feed: feedId, ...common }, ({ feed, ...place }) =>
  Effect.flatMap(withServer(place), ([{ removeFeed }, server]) => removeFeed(server, feed))
).pipe(Command.withDescription("Remove a feed; its reports stay."))

/** Its subcommands. */
export const feedsSubcommands = [create, list, showOne, follow, remove] as const

/** The command. */
export const feedsCommand = Command.make("feeds").pipe(
  Command.withDescription("Add, list, show, follow and remove durable feeds."),
  Command.withSubcommands(feedsSubcommands)
)
