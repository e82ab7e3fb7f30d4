/** The stored report of a completed run: enough to answer it again in any encoding, to bill it and to prove it (decisions D11, D28). */
import { Schema } from "effect"
import { ReachedLimit } from "../../contract/reachedLimit.ts"
import { DataRequest } from "../protocol/dataRequest.ts"
import { DataResult } from "../protocol/dataResult.ts"
import { RecordedRun } from "./recordedRun.ts"

/** A request of a program to the outside world, as `AnsweredHostCall` describes it. */
const HostCallReport = Schema.Struct({
  kind: Schema.Literal("fetch", "proxyPrice", "proxyFetch", "storage"),
  request: Schema.String,
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  bytes: Schema.Int,
  answeredAfterMs: Schema.Int
})

/** The outcome of one phase. */
export const PhaseReport = Schema.Struct({
  result: Schema.Uint8ArrayFromBase64,
  gasUsed: Schema.BigInt,
  stdout: Schema.String,
  stderr: Schema.String,
  exitCode: Schema.Int,
  /** Why the VM ended the program; absent if the program exited by itself, and in reports written by older versions. */
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  /** The limits that it reached; absent if there were none, and in older reports. */
  limits: Schema.optionalWith(Schema.Array(ReachedLimit), { exact: true }),
  /** Prefetched requests, and those of them that were used; absent if there were none, and in older reports. */
  prefetch: Schema.optionalWith(Schema.Struct({ requested: Schema.Int, used: Schema.Int }), { exact: true }),
  /** The first requests to the outside world; absent if there were none, and in older reports. */
  hostCalls: Schema.optionalWith(Schema.Array(HostCallReport), { exact: true })
})
/** The outcome of one phase. */
export type PhaseReport = typeof PhaseReport.Type

/** The fees of one data proxy in one run. */
export const ProxyCharge = Schema.Struct({ publicKey: Schema.String, fee: Schema.BigInt, calls: Schema.Int })
/** The fees of one data proxy in one run. */
export type ProxyCharge = typeof ProxyCharge.Type

/** The price of a run by its parts, in credits. */
export const Cost = Schema.Struct({
  base: Schema.BigInt,
  gas: Schema.BigInt,
  dataProxies: Schema.BigInt,
  total: Schema.BigInt
})
/** The price of a run by its parts, in credits. */
export type Cost = typeof Cost.Type

/** One completed run, including failed ones. `Schema.parseJson(ExecutionReport)` is its stored form. */
export const ExecutionReport = Schema.Struct({
  id: Schema.String,
  projectId: Schema.String,
  source: Schema.Literal("rest", "ws", "feed"),
  /** When the run ended: the order of reports and last results. */
  executedAtMs: Schema.Int,
  durationMs: Schema.Int,
  dataRequest: DataRequest,
  dataResult: DataResult,
  /** 65 bytes r‖s‖v as 130 lowercase hex characters. */
  signature: Schema.String,
  execute: PhaseReport,
  /** `null` when the tally phase was skipped. */
  tally: Schema.NullOr(PhaseReport),
  cost: Cost,
  proxies: Schema.Array(ProxyCharge),
  /** Absent if the run was not recorded. */
  recorded: Schema.optionalWith(RecordedRun, { exact: true })
})
/** One completed run, including failed ones. */
export type ExecutionReport = typeof ExecutionReport.Type

/** The clocks of two servers may differ by this much, and runs in quick succession are dated slightly ahead. */
const toleratedAheadMs = 2_000

/**
 * The age of a report's result by the wall clock, in milliseconds since the signed time (decision D27). A result dated in the future has an
 * unknown age, which counts as infinite.
 */
export const ageMsOf = ({ dataResult }: ExecutionReport, nowMs: number): number => {
  const ageMs = nowMs - Number(dataResult.blockTimestamp)
  return ageMs < -toleratedAheadMs ? Number.POSITIVE_INFINITY : Math.max(0, ageMs)
}
