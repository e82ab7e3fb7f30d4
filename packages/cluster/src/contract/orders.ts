/** What edges send to executors. */
import { defaultLimits, type Limits, type StorageView } from "@sibyl/core"
import { Schema } from "effect"
import { OwnBytes, SpendingSchema, TapeSchema } from "./tapeSchema.ts"

const Count = Schema.Number.pipe(Schema.int(), Schema.nonNegative())
const Hex = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))
/** Parts of subjects: nothing in them may be read as another subject. */
const Token = Schema.String.pipe(Schema.pattern(/^[\w-]{1,64}$/))
/** An attempt: the edge's id, and a number. */
const Attempt = Schema.String.pipe(Schema.pattern(/^[\w-]{1,64}\.[0-9a-z]{1,16}$/))

/** Limits by name, as they are in a message. */
type WrittenLimits = Readonly<Record<string, number | string>>

const readLimits = (given: WrittenLimits): Limits => {
  const known = Object.entries(defaultLimits).map(([name, standard]): readonly [string, number | bigint] => {
    const value = given[name]
    if (typeof standard === "bigint") return [name, typeof value === "string" && /^\d{1,40}$/.test(value) ? BigInt(value) : standard]
    return [name, typeof value === "number" ? value : standard]
  })
  return Object.fromEntries(known) as unknown as Limits
}

const writeLimits = (limits: Limits): WrittenLimits =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, typeof value === "bigint" ? String(value) : value]))

const areSame = (one: WrittenLimits, other: WrittenLimits): boolean => {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}

/** Almost all runs of an edge have the same limits: the last ones are remembered, and so is what any were written as. */
const limitsSchema = (): Schema.Schema<Limits, unknown> => {
  let last: { readonly given: WrittenLimits; readonly limits: Limits } | undefined
  const written = new WeakMap<object, WrittenLimits>()
  const Written = Schema.Record({ key: Schema.String, value: Schema.Union(Schema.Number.pipe(Schema.finite()), Schema.String) })
  return Schema.transform(Written, Schema.Object, {
    strict: false,
    // A limit that the sender does not know has its default; one that we do not know means nothing here.
    decode: (given: WrittenLimits) => {
      if (last === undefined || !areSame(last.given, given)) last = { given, limits: readLimits(given) }
      return last.limits
    },
    encode: (limits) => {
      const known = written.get(limits) ?? writeLimits(limits as Limits)
      written.set(limits, known)
      return known
    }
  }) as Schema.Schema<Limits, unknown>
}

const LimitsSchema = limitsSchema()

/** The phase that is asked for; its program's bytes are asked for by those who do not have them. */
const Request = Schema.Struct({
  phase: Schema.Literal("exec", "tally"),
  projectId: Schema.String,
  programId: Hex,
  args: Schema.Array(Schema.String),
  envs: Schema.Array(Schema.Tuple(Schema.String, Schema.String)),
  gasLimit: Schema.BigInt,
  limits: LimitsSchema,
  /** Whether the program has storage, which its edge is asked for. */
  hasStorage: Schema.Boolean,
  /** Whether its edge knows data proxies. */
  hasProxies: Schema.Boolean,
  /** Whether the outcome is to have the phase's tape. Absent in what older edges send. */
  isRecorded: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** Absent where the project may reach every host, and in what older edges send. */
  allowedHosts: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
})

/** The tally phase behind an execution phase. */
const Tally = Schema.Struct({ programId: Hex, base: Schema.String, blockHeight: Schema.BigInt, gasLimit: Schema.BigInt })

/** Where the run stands in its edge's trace, as `traceparent` and `tracestate` write it. */
const Trace = Schema.Struct({ parent: Schema.String, state: Schema.optionalWith(Schema.String, { exact: true }) })
/** Where a run stands in a trace. */
export interface TraceOfTask extends Schema.Schema.Type<typeof Trace> {}

/** A run, or one execution of a replicated run: from the beginning, or from a tape that another executor has left. */
export const Task = Schema.Struct({
  kind: Schema.Literal("task"),
  attempt: Attempt,
  request: Request,
  tape: TapeSchema,
  spent: Schema.optionalWith(SpendingSchema, { exact: true }),
  tally: Schema.optionalWith(Tally, { exact: true }),
  /** Whether its edge reads replies with `before`. Absent in what older edges send. */
  joins: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** Absent where nobody records the run, and in what older edges send. */
  trace: Schema.optionalWith(Trace, { exact: true })
})
/** A run to be made. */
export interface Task extends Schema.Schema.Type<typeof Task> {}

const View: Schema.Schema<StorageView, unknown> = Schema.Struct({
  values: Schema.ReadonlyMap({ key: Schema.String, value: Schema.String }),
  keyCount: Count
}) as Schema.Schema<StorageView, unknown>

const Proxy = Schema.Struct({
  publicKey: Schema.String,
  name: Schema.String,
  feeCredits: Schema.BigInt,
  active: Schema.Boolean,
  registeredAtMs: Schema.Number
})

/** What an edge answers to an `Ask`; `failed`: it could not, and the run is a defect. */
export const Answer = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("storage"), view: View }),
  Schema.Struct({ kind: Schema.Literal("proxy"), proxy: Schema.NullOr(Proxy) }),
  Schema.Struct({ kind: Schema.Literal("proof"), proof: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("program"), bytes: OwnBytes }),
  Schema.Struct({ kind: Schema.Literal("failed"), message: Schema.String })
)
/** An answer to what an executor asked. */
export type Answer = Schema.Schema.Type<typeof Answer>

/** A message on the subject of one executor, or (tasks only) of all. */
export const Order = Schema.Union(
  Task,
  Schema.Struct({ kind: Schema.Literal("answer"), attempt: Attempt, n: Count, answer: Answer }),
  /** Nobody wants the attempt any more: it ends now, and nothing is said of it. */
  Schema.Struct({ kind: Schema.Literal("cancel"), attempt: Attempt }),
  /** The edge has heard how these ended: nothing more need be kept of them. */
  Schema.Struct({ kind: Schema.Literal("heard"), attempts: Schema.Array(Attempt) }),
  /** The caller has left: a run that has not begun need not begin (decision D32). */
  Schema.Struct({ kind: Schema.Literal("abandoned"), attempt: Attempt })
)
/** An order. */
export type Order = Schema.Schema.Type<typeof Order>

/** Asks whether an executor lives, and tells which of its attempts this edge waits for, with the number of the message expected next. */
export const Probe = Schema.Struct({ edge: Token, attempts: Schema.Array(Schema.Tuple(Attempt, Count)) })
/** A probe. */
export interface Probe extends Schema.Schema.Type<typeof Probe> {}
