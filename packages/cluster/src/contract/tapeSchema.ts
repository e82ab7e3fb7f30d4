/** Tapes in messages, and what a phase has spent with them. */
import type { PhaseSpending, Tape, TapeEntry } from "@sibyl/vm/internal"
import { Schema } from "effect"

/** Bytes with a buffer of their own: a view would keep the whole message, and carry it to every worker. */
export const OwnBytes = Schema.transform(Schema.Uint8ArrayFromSelf, Schema.Uint8ArrayFromSelf, {
  strict: true,
  decode: (view) => new Uint8Array(view),
  encode: (bytes) => bytes
})

const Text = Schema.String
const Whole = Schema.Number.pipe(Schema.finite())

const FetchAnswer = Schema.Struct({
  fulfilled: Schema.Boolean,
  status: Whole,
  headers: Schema.Array(Schema.Tuple(Text, Text)),
  bytes: OwnBytes,
  url: Text,
  contentLength: Whole
})

const ProxyPrice = Schema.Union(
  Schema.Struct({ known: Schema.Literal(true), gas: Schema.BigInt, publicKey: Text, feeCredits: Schema.BigInt }),
  Schema.Struct({ known: Schema.Literal(false), message: Text })
)

const call = { action: OwnBytes, atMs: Whole }

/** One entry of a tape. */
export const TapeEntrySchema: Schema.Schema<TapeEntry, unknown> = Schema.Union(
  Schema.Struct({ ...call, kind: Schema.Literal("fetch", "proxyFetch"), answer: FetchAnswer }),
  Schema.Struct({ ...call, kind: Schema.Literal("proxyPrice"), answer: ProxyPrice }),
  Schema.Struct({
    ...call,
    kind: Schema.Literal("storage"),
    operation: Schema.Literal("read", "write", "delete"),
    answer: Schema.Struct({ fulfilled: Schema.Boolean, bytes: OwnBytes })
  }),
  Schema.Struct({ kind: Schema.Literal("deadline"), limitMs: Whole, gasCharged: Schema.BigInt, workerMs: Whole }),
  Schema.Struct({ kind: Schema.Literal("stackOverflow") })
) as Schema.Schema<TapeEntry, unknown>

/** A tape: seed, start and entries. */
export const TapeSchema: Schema.Schema<Tape, unknown> = Schema.Struct({
  startTimeMs: Whole,
  seed: OwnBytes,
  entries: Schema.Array(TapeEntrySchema)
}) as Schema.Schema<Tape, unknown>

/** What a phase has spent. */
export const SpendingSchema: Schema.Schema<PhaseSpending, unknown> = Schema.Struct({
  wallClockLeftMs: Whole,
  httpLeftMs: Whole,
  workerMs: Whole,
  gasUsed: Schema.BigInt,
  storedBefore: Schema.ReadonlyMap({ key: Text, value: Text })
}) as Schema.Schema<PhaseSpending, unknown>
