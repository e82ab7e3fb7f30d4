/** What executors send to edges. */
import { Schema } from "effect"
import { OutcomeSchema } from "./outcomeSchema.ts"
import { SpendingSchema, TapeEntrySchema } from "./tapeSchema.ts"

const Count = Schema.Number.pipe(Schema.int(), Schema.nonNegative())
const Token = Schema.String.pipe(Schema.pattern(/^[\w-]{1,64}$/))

/** What an executor cannot know by itself. */
export const Ask = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("storage"), keys: Schema.Array(Schema.String) }),
  Schema.Struct({ kind: Schema.Literal("proxy"), publicKey: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("proof") }),
  /** The bytes of a program of this task: those behind its id. */
  Schema.Struct({ kind: Schema.Literal("program"), programId: Schema.String })
)
/** A question to the edge of a run. */
export type Ask = Schema.Schema.Type<typeof Ask>

/** How an attempt goes. `accepted` is the first, `done`, `overloaded`, `defect` and `left` are the last; `full` is the only one. */
export const Body = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("accepted"), engine: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("full") }),
  /** Entries that were put on the tape behind the first `from`, before the pass that begins with them. */
  Schema.Struct({ kind: Schema.Literal("tape"), from: Count, entries: Schema.Array(TapeEntrySchema), spent: SpendingSchema }),
  Schema.Struct({ kind: Schema.Literal("ask"), ask: Ask }),
  Schema.Struct({ kind: Schema.Literal("done"), outcome: OutcomeSchema }),
  /** No worker was free in time: nothing ran. */
  Schema.Struct({ kind: Schema.Literal("overloaded") }),
  /** An internal error of the executor, which another one would have as well. */
  Schema.Struct({ kind: Schema.Literal("defect"), message: Schema.String }),
  /** The executor ends, or gives the run up: another one is to go on with it. */
  Schema.Struct({ kind: Schema.Literal("left") })
)
/** One message of an attempt. */
export type Body = Schema.Schema.Type<typeof Body>

/**
 * A message in the inbox of an attempt. `n` counts the messages of the attempt from 0: one that is lost is sent again. `before` are those
 * that come before it and travel with it, the first of which has the number `n - before.length`; only for edges that `join`.
 */
export const Reply = Schema.Struct({
  n: Count,
  executor: Token,
  before: Schema.optionalWith(Schema.Array(Body), { exact: true }),
  body: Body
})
/** A reply. */
export interface Reply extends Schema.Schema.Type<typeof Reply> {}

/** The answer to a probe: the attempts of which this executor knows nothing. */
export const Alive = Schema.Struct({ unknown: Schema.Array(Schema.String) })
/** An answer to a probe. */
export interface Alive extends Schema.Schema.Type<typeof Alive> {}

/** What an executor tells of itself every 200 ms. */
export const Beat = Schema.Struct({
  id: Token,
  zone: Schema.String,
  /** Runs that it would take now. */
  free: Count,
  /** Whether it takes none whatever ends: it ends itself, or runs that it took could not be answered. */
  takesNone: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** Which virtual machine it has: a tape is continued on the same one. */
  engine: Schema.String,
  /** Of our packages. */
  version: Schema.String,
  /** The contract's versions that it understands. */
  contracts: Schema.Array(Count),
  /** Its clock, in ms since the Unix epoch, when it sent this. */
  atMs: Schema.optionalWith(Count, { exact: true })
})
/** A beat. */
export interface Beat extends Schema.Schema.Type<typeof Beat> {}
