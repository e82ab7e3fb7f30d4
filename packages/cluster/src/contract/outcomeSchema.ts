/** The outcome of a run in messages. It is never signed: executors have no key. */
import { type PhaseOutcome, ReachedLimit, type RunOutcome } from "@sibyl/core"
import { Schema } from "effect"
import { OwnBytes } from "./tapeSchema.ts"

const Whole = Schema.Number.pipe(Schema.finite())

const HostCall = Schema.Struct({
  kind: Schema.Literal("fetch", "proxyPrice", "proxyFetch", "storage"),
  request: Schema.String,
  status: Schema.optionalWith(Whole, { exact: true }),
  bytes: Whole,
  answeredAfterMs: Whole
})

const Phase: Schema.Schema<PhaseOutcome, unknown> = Schema.Struct({
  exitCode: Whole,
  exitMessage: Schema.String,
  gasUsed: Schema.BigInt,
  gasCharged: Schema.BigInt,
  workerMs: Schema.optionalWith(Whole, { exact: true }),
  result: OwnBytes,
  stdout: Schema.String,
  stderr: Schema.String,
  proxies: Schema.Array(Schema.Struct({ publicKey: Schema.String, feeCredits: Schema.BigInt, calls: Whole })),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  limits: Schema.optionalWith(Schema.Array(ReachedLimit), { exact: true }),
  storage: Schema.optionalWith(Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.NullOr(Schema.String) })), { exact: true }),
  prefetch: Schema.optionalWith(Schema.Struct({ requested: Whole, used: Whole }), { exact: true }),
  hostCalls: Schema.optionalWith(Schema.Array(HostCall), { exact: true }),
  tape: Schema.optionalWith(Schema.Union(Schema.String, Schema.Struct({ bytes: Whole })), { exact: true })
}) as Schema.Schema<PhaseOutcome, unknown>

const Tally = Schema.Union(
  Schema.Struct({ consensus: Schema.Boolean, phase: Phase }),
  Schema.Struct({ consensus: Schema.Boolean, refusal: Schema.Struct({ exitCode: Whole, result: OwnBytes }) })
)

/** Both phases, or the only one. */
export const OutcomeSchema: Schema.Schema<RunOutcome, unknown> = Schema.Struct({
  exec: Phase,
  tally: Schema.optionalWith(Tally, { exact: true })
}) as Schema.Schema<RunOutcome, unknown>
