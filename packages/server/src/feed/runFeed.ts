/** What `sibyl feed` does: opens a connection, starts the feeds, prints every run as it comes in. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { type FeedMode, feedModes, programIdOf } from "@sibyl/core"
import { Effect, Option, Redacted } from "effect"
import { keyOf } from "./feedKey.ts"
import { refusedValue } from "../input/asked.ts"
import { printLines, readerGone } from "../output/lines.ts"
import { isColoured } from "../output/paint.ts"
import { runFeeds } from "./feedSession.ts"
import { openFeedSocket, webSocketAddress } from "./feedSocket.ts"
import { feedView } from "./feedView.ts"

/** The options of `sibyl feed`. */
export interface FeedSettings {
  readonly url: string
  readonly key: Option.Option<Redacted.Redacted>
  readonly keyFile: string
  readonly program: Option.Option<string>
  readonly inputs: string
  readonly mode: FeedMode | "all"
  readonly periodMs: number
  readonly share: boolean
  readonly count: Option.Option<number>
  readonly json: boolean
}

const exampleProgramId = Effect.promise(async () =>
  programIdOf(await readFile(createRequire(import.meta.url).resolve("@sibyl/programs/crypto-price.wasm")))
)

/** Runs the feeds until their counts are reached or the connection ends. */
export const feed = (settings: FeedSettings) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { json, periodMs, share } = settings
      const count = Option.getOrUndefined(settings.count)
      if (count !== undefined && count < 1) return yield* refusedValue("--count", "1 or more", `${count}`)
      const asked = settings.mode === "all" ? feedModes : [settings.mode]
      const address = webSocketAddress(settings.url)
      const key = yield* keyOf(settings)
      const execProgramId = yield* Option.match(settings.program, {
        onSome: Effect.succeed,
        onNone: () => exampleProgramId
      })
      const view = feedView(asked, { json, coloured: isColoured(process.stdout) })
      const socket = yield* openFeedSocket(address, key)
      const options = {
        modes: asked,
        periodMs,
        share,
        execute: { execProgramId, execInputs: settings.inputs, encoding: "json" },
        count
      }
      yield* runFeeds(socket, options, {
        authorized: (organization, credits) =>
          json ? Effect.void : printLines([`connected to ${address} as ${organization}, ${credits} credits remaining`, "", ...view.head]),
        ran: (received) => printLines([view.line(received)])
      }).pipe(Effect.raceFirst(readerGone))
    })
  )
