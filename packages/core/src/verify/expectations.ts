/** What a caller expects of a response beyond a valid signature, and whether the signed values meet it. */
import { fromHex, toHex } from "../domain/encoding/bytes.ts"
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import type { DataResult } from "../domain/protocol/dataResult.ts"
import { type Refused, refused } from "./verdict.ts"

/** How recent a result must be. */
export interface FreshnessLimits {
  /** The caller's clock, in milliseconds since the Unix epoch. */
  readonly nowMs: number
  /** The maximum age of a result. */
  readonly maxAgeMs: number
  /** How far a result may be ahead of the caller's clock; default 10,000. */
  readonly maxAheadMs?: number
}

/** The expected values; absent ones are not checked. Ids are 64 hex characters, with or without `0x`. */
export interface Expectations {
  /** The expected data request: programs, inputs and gas limits. The only expectation that fixes everything. */
  readonly drId?: string
  /** The program of both phases, or of the execution phase if `tallyProgramId` is given. Inputs are not checked. */
  readonly programId?: string
  /** The program of the tally phase. */
  readonly tallyProgramId?: string
  readonly freshness?: FreshnessLimits
  /** Whether the run must have succeeded (exit code 0 and consensus). Failed runs are signed too. */
  readonly requireSuccess?: boolean
}

const idOf = (text: unknown): string | undefined => {
  const bytes = typeof text === "string" ? fromHex(text) : undefined
  return bytes?.length === 32 ? toHex(bytes) : undefined
}

/** The first malformed expectation. */
export const badExpectation = (expected: Expectations): Refused | undefined => {
  for (const name of ["drId", "programId", "tallyProgramId"] as const) {
    if (expected[name] !== undefined && idOf(expected[name]) === undefined) {
      return refused("badOption", `${name} must be 64 hex characters`, name)
    }
  }
  if (expected.requireSuccess !== undefined && typeof expected.requireSuccess !== "boolean") {
    return refused("badOption", "requireSuccess must be true or false", "requireSuccess")
  }
  if (expected.freshness === undefined) return undefined
  // From JavaScript it may be anything.
  const { maxAgeMs = Number.NaN, maxAheadMs = 0, nowMs = Number.NaN }: Partial<FreshnessLimits> = Object(expected.freshness)
  const fit = [nowMs, maxAgeMs, maxAheadMs].every((ms) => Number.isFinite(ms) && ms >= 0)
  return fit ? undefined : refused("badOption", "freshness must be given in milliseconds", "freshness")
}

const staleness = (blockTimestamp: bigint, freshness: FreshnessLimits): Refused | undefined => {
  const { maxAgeMs, maxAheadMs = 10_000, nowMs } = freshness
  const ageMs = nowMs - Number(blockTimestamp)
  const field = "dataResult.blockTimestamp"
  if (ageMs > maxAgeMs) return refused("tooOld", `signed ${ageMs} ms ago, ${maxAgeMs} ms is the most`, field)
  if (ageMs < -maxAheadMs) return refused("fromTheFuture", `signed for ${-ageMs} ms from now`, field)
  return undefined
}

/** The first expectation that is not met. */
export const unmetExpectation = (expected: Expectations, dataRequest: DataRequest, dataResult: DataResult): Refused | undefined => {
  const { drId, freshness, programId, requireSuccess, tallyProgramId = programId } = expected
  const other = (id: string | undefined, found: string) => id !== undefined && idOf(id) !== found
  if (other(drId, dataResult.drId)) return refused("wrongDrId", "another data request than expected", "dataResult.drId")
  for (const [name, id] of [
    ["execProgramId", programId],
    ["tallyProgramId", tallyProgramId]
  ] as const) {
    if (other(id, dataRequest[name])) {
      return refused("wrongProgram", `${name} is ${dataRequest[name]}`, `dataRequest.${name}`)
    }
  }
  if (requireSuccess === true && dataResult.exitCode !== 0) {
    return refused("notSuccessful", `exit code ${dataResult.exitCode}`, "dataResult.exitCode")
  }
  if (requireSuccess === true && !dataResult.consensus) {
    return refused("notSuccessful", "there was no consensus", "dataResult.consensus")
  }
  return freshness === undefined ? undefined : staleness(dataResult.blockTimestamp, freshness)
}
