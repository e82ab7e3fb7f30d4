/** The form of tapes outside of the process that recorded them. */
import { Schema } from "effect"
import type { Tape, TapeEntry } from "./tape.ts"

const Text = Schema.String
const Whole = Schema.Number.pipe(Schema.finite())
/** ms since the Unix epoch: what a program is told of it is unsigned. */
const Moment = Whole.pipe(Schema.nonNegative())

const ProxyPrice = Schema.Union(
  Schema.Struct({ known: Schema.Literal(true), gas: Schema.BigInt, publicKey: Text, feeCredits: Schema.BigInt }),
  Schema.Struct({ known: Schema.Literal(false), message: Text })
)

const WorkerLoss = Schema.Union(
  Schema.Struct({ why: Schema.Literal("memory"), limitMib: Whole }),
  Schema.Struct({ why: Schema.Literal("crash") })
)

/** Schemas of a tape and of its entries, whose bytes are written by `bytes`; gas and credits are decimal texts. */
export const tapeSchemasOf = (
  bytes: Schema.Schema<Uint8Array, unknown>
): { readonly entry: Schema.Schema<TapeEntry, unknown>; readonly tape: Schema.Schema<Tape, unknown> } => {
  const call = { action: bytes, atMs: Moment }
  const FetchAnswer = Schema.Struct({
    fulfilled: Schema.Boolean,
    status: Whole,
    headers: Schema.Array(Schema.Tuple(Text, Text)),
    bytes,
    url: Text,
    contentLength: Whole
  })
  const entry = Schema.Union(
    Schema.Struct({ ...call, kind: Schema.Literal("fetch", "proxyFetch"), answer: FetchAnswer }),
    Schema.Struct({ ...call, kind: Schema.Literal("proxyPrice"), answer: ProxyPrice }),
    Schema.Struct({
      ...call,
      kind: Schema.Literal("storage"),
      operation: Schema.Literal("read", "write", "delete"),
      answer: Schema.Struct({ fulfilled: Schema.Boolean, bytes })
    }),
    Schema.Struct({ kind: Schema.Literal("deadline"), limitMs: Whole, gasCharged: Schema.BigInt, workerMs: Whole }),
    Schema.Struct({ kind: Schema.Literal("stackOverflow") }),
    Schema.Struct({ kind: Schema.Literal("workerLost"), loss: WorkerLoss, gasCharged: Schema.BigInt, workerMs: Whole })
  ) as Schema.Schema<TapeEntry, unknown>
  const tape = Schema.Struct({ startTimeMs: Moment, seed: bytes, entries: Schema.Array(entry) }) as Schema.Schema<Tape, unknown>
  return { entry, tape }
}
