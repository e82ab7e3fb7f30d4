/** What is kept of a completed run: enough to answer it again in any encoding, to bill it and to prove it (decisions D11, D28). */
import { Schema } from "effect"
import { DataRequest } from "../protocol/dataRequest.ts"
import { DataResult } from "../protocol/dataResult.ts"

/** What one phase left behind. */
export const PhaseReport = Schema.Struct({
  result: Schema.Uint8ArrayFromBase64,
  gasUsed: Schema.BigInt,
  stdout: Schema.String,
  stderr: Schema.String,
  exitCode: Schema.Int,
  /** Why the machine ended the program; absent where the program chose its end, and in reports of before. */
  reason: Schema.optionalWith(Schema.String, { exact: true })
})
/** What one phase left behind. */
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

/** One completed run, failed ones too. `Schema.parseJson(ExecutionReport)` is its stored form. */
export const ExecutionReport = Schema.Struct({
  id: Schema.String,
  projectId: Schema.String,
  source: Schema.Literal("rest", "ws", "feed"),
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
  proxies: Schema.Array(ProxyCharge)
})
/** One completed run, failed ones too. */
export type ExecutionReport = typeof ExecutionReport.Type

/** The clocks of two servers may differ by so much, and runs that crowd one moment are dated a little ahead of it. */
const toleratedAheadMs = 2_000

/**
 * How old a report's result is by the wall clock, in milliseconds: it counts from the time that was signed (decision
 * D27). One that claims to come from the future is of unknown age, which is told as an infinite one: never as young.
 */
export const ageMsOf = ({ dataResult }: ExecutionReport, nowMs: number): number => {
  const ageMs = nowMs - Number(dataResult.blockTimestamp)
  return ageMs < -toleratedAheadMs ? Number.POSITIVE_INFINITY : Math.max(0, ageMs)
}
