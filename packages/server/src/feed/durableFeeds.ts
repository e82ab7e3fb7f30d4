/** What `sibyl feeds` does: requests to a server's `/feeds`, and their answers for people. */
import type { FeedMode } from "@sibyl/core"
import { Effect, Redacted, Schema } from "effect"
import { type Answer, show } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import { networkReason } from "../output/networkReason.ts"
import { type Column, fields, table } from "../output/table.ts"
import { type FeedKey, keyOf } from "./feedKey.ts"
import { refusedOption } from "./refusedOption.ts"

/** The server, the key, and the form of the answer. */
export interface FeedsServer extends FeedKey {
  readonly url: string
  readonly json: boolean
}

/** A feed to add. */
export interface NewFeed {
  readonly program: string
  readonly inputs: string
  readonly mode: FeedMode
  readonly periodMs: number
}

const Feed = Schema.Struct({
  feedId: Schema.String,
  execute: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  mode: Schema.String,
  periodicityMs: Schema.Number,
  createdAt: Schema.String
})
type Feed = typeof Feed.Type

const FeedState = Schema.Struct({
  ...Feed.fields,
  hasOwner: Schema.Boolean,
  lastSeq: Schema.NullOr(Schema.Number),
  lastResultAt: Schema.NullOr(Schema.String),
  lastFailure: Schema.NullOr(Schema.Struct({ _tag: Schema.String, seq: Schema.Number, at: Schema.String })),
  nextTickAt: Schema.NullOr(Schema.String)
})

const Refusal = Schema.Struct({ error: Schema.String })

/** How long a server may take to answer. */
const patienceMs = 30_000

/** Asks the server; returns its document as it is, and as the schema reads it. */
const ask = <A, I>(server: FeedsServer, schema: Schema.Schema<A, I>, method: string, path: string, body?: object) =>
  Effect.gen(function* () {
    const key = yield* keyOf(server)
    const address = `${server.url.replace(/\/+$/, "")}${path}`
    const response = yield* Effect.tryPromise({
      try: async (signal) => {
        const answer = await fetch(address, {
          method,
          signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
          headers: { authorization: `Bearer ${Redacted.value(key)}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        return { ok: answer.ok, document: (await answer.json()) as unknown }
      },
      catch: (fault) => new CommandFailed({ message: `no Sibyl answers at ${address}${networkReason(fault)}` })
    })
    const { document, ok } = response
    if (!ok) {
      const { error } = yield* Effect.orElseSucceed(Schema.decodeUnknown(Refusal)(document), () => ({ error: "the server refused" }))
      return yield* refusedOption(error) ?? new CommandFailed({ message: error })
    }
    const value = yield* Effect.mapError(
      Schema.decodeUnknown(schema)(document),
      () => new CommandFailed({ message: `what answers at ${address} has no durable feeds` })
    )
    return { document, value }
  })

const columns: ReadonlyArray<Column<Feed>> = [
  { head: "feed", cell: ({ feedId }, paint) => paint("bold", feedId) },
  { head: "mode", cell: ({ mode }) => mode },
  { head: "period", cell: ({ periodicityMs }) => `${periodicityMs} ms`, align: "right" },
  { head: "program", cell: ({ execute }) => String(execute["execProgramId"]) },
  { head: "created", cell: ({ createdAt }, paint) => paint("dim", createdAt) }
]

const shown = ({ json }: FeedsServer, answer: Answer): Effect.Effect<void> => show(answer, json)

/** Adds a feed. */
export const createFeed = (server: FeedsServer, { inputs, mode, periodMs, program }: NewFeed) =>
  Effect.gen(function* () {
    const execute = { execProgramId: program, ...(inputs === "" ? {} : { execInputs: inputs }) }
    const { document, value } = yield* ask(server, Feed, "POST", "/feeds", { execute, mode, periodicityMs: periodMs })
    yield* shown(server, { document, lines: (paint) => [`the feed ${paint("bold", value.feedId)} runs until it is removed`] })
  })

/** Lists the project's feeds. */
export const listFeeds = (server: FeedsServer) =>
  Effect.gen(function* () {
    const { document, value } = yield* ask(server, Schema.Struct({ data: Schema.Array(Feed) }), "GET", "/feeds")
    yield* shown(server, { document, lines: (paint) => table(value.data, columns, "no durable feeds", paint) })
  })

const askOne = (server: FeedsServer, feedId: string) => ask(server, FeedState, "GET", `/feeds/${encodeURIComponent(feedId)}`)

/** A feed as it stands. */
export const readFeed = (server: FeedsServer, feedId: string) => Effect.map(askOne(server, feedId), ({ value }) => value)

/** Shows one feed. */
export const showFeed = (server: FeedsServer, feedId: string) =>
  Effect.gen(function* () {
    const { document, value } = yield* askOne(server, feedId)
    const { createdAt, execute, hasOwner, lastFailure, lastResultAt, lastSeq, mode, nextTickAt, periodicityMs } = value
    const failure = lastFailure === null ? "none" : `${lastFailure._tag}, run ${lastFailure.seq}, ${lastFailure.at}`
    const lines: Answer["lines"] = (paint) =>
      fields(
        [
          ["feed", paint("bold", value.feedId)],
          ["program", String(execute["execProgramId"])],
          ["schedule", `${mode}, ${periodicityMs} ms`],
          ["created", createdAt],
          ["running", hasOwner ? "yes" : "no server runs it now"],
          ["last run", lastSeq === null ? "none" : `${lastSeq}`],
          ["last result", lastResultAt ?? "none"],
          ["last failure", failure],
          ["next run", nextTickAt ?? "when the present one has ended"]
        ],
        paint
      )
    yield* shown(server, { document, lines })
  })

/** Removes a feed. */
export const removeFeed = (server: FeedsServer, feedId: string) =>
  Effect.gen(function* () {
    const { document, value } = yield* ask(
      server,
      Schema.Struct({ feedId: Schema.String }),
      "DELETE",
      `/feeds/${encodeURIComponent(feedId)}`
    )
    yield* shown(server, { document, lines: () => [`the feed ${value.feedId} is removed`] })
  })
