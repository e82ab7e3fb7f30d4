/** Tapes in messages, and what a phase has spent with them. */
import { type PhaseSpending, tapeSchemasOf } from "@sibyl/vm/internal"
import { Schema } from "effect"

/** Bytes with a buffer of their own: a view would keep the whole message, and carry it to every worker. */
export const OwnBytes = Schema.transform(Schema.Uint8ArrayFromSelf, Schema.Uint8ArrayFromSelf, {
  strict: true,
  decode: (view) => new Uint8Array(view),
  encode: (bytes) => bytes
})

const Text = Schema.String
const Whole = Schema.Number.pipe(Schema.finite())

/** A tape: seed, start and entries; and one entry of it. */
export const { entry: TapeEntrySchema, tape: TapeSchema } = tapeSchemasOf(OwnBytes as Schema.Schema<Uint8Array, unknown>)

/** What a phase has spent. */
export const SpendingSchema: Schema.Schema<PhaseSpending, unknown> = Schema.Struct({
  wallClockLeftMs: Whole,
  httpLeftMs: Whole,
  workerMs: Whole,
  gasUsed: Schema.BigInt,
  storedBefore: Schema.ReadonlyMap({ key: Text, value: Text })
}) as Schema.Schema<PhaseSpending, unknown>
