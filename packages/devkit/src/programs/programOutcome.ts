/** The outcome of one run of a program: both phases, result, gas, price, logs, and the requests it made. */
import { ExecuteData, SummaryRecord } from "@sibyl/core"
import { fromHex, toUtf8Lossy } from "@sibyl/core/internal"
import type { PhaseProfile } from "@sibyl/vm"
import { Schema } from "effect"
import type { ProgramRequest } from "./cannedHttp.ts"

/** One phase. */
export interface PhaseOfRun {
  readonly exitCode: number
  readonly gasUsed: bigint
  readonly result: Uint8Array
  readonly stdout: string
  readonly stderr: string
}

/** One request of the program, and its answer. */
export interface ProgramCall extends ProgramRequest {
  /** 0 if there was no answer; then `failure` says why. */
  readonly status: number
  readonly failure: string | null
  readonly responseHeaders: ReadonlyArray<readonly [name: string, value: string]>
  readonly response: Uint8Array
  /** From the request to its answer, in milliseconds. */
  readonly durationMs: number
}

/** The price by its parts, in credits. */
export interface PriceOfRun {
  readonly base: bigint
  readonly gas: bigint
  readonly dataProxies: bigint
  readonly total: bigint
}

/** One finished run. */
export interface ProgramOutcome {
  readonly programId: string
  readonly tallyProgramId: string
  readonly drId: string
  /** That of the whole run: the tally's, or the execution's if that failed. */
  readonly exitCode: number
  readonly result: Uint8Array
  /** The result as UTF-8; invalid bytes become U+FFFD. */
  readonly text: string
  /** Of both phases. */
  readonly gasUsed: bigint
  readonly exec: PhaseOfRun
  /** `null` if the execution failed, because then there is no tally. */
  readonly tally: PhaseOfRun | null
  readonly price: PriceOfRun
  readonly calls: ReadonlyArray<ProgramCall>
  /** Where the gas of each phase went, execution first; only of a bench that profiles. */
  readonly profiles: ReadonlyArray<PhaseProfile>
  readonly durationMs: number
}

const Answered = Schema.Struct({ data: ExecuteData })

const hexBytes = (shown: unknown): Uint8Array => (typeof shown === "string" ? fromHex(shown) : undefined) ?? new Uint8Array()

type PhaseShown = NonNullable<(typeof ExecuteData.Type)["execute"]>

const phaseOf = ({ exitCode, gasUsed, result, stderr, stdout }: PhaseShown): PhaseOfRun => ({
  exitCode,
  gasUsed: BigInt(gasUsed),
  result: hexBytes(result),
  stdout,
  stderr
})

const nothingShown: PhaseShown = { result: "0x", gasUsed: "0", stdout: "", stderr: "", exitCode: 0 }

/** Parses a response of `/execute` with debug information, summary and `encoding=hex`. Throws if it is none. */
export const outcomeOfAnswer = (answer: unknown, { calls, profiles }: Pick<ProgramOutcome, "calls" | "profiles">): ProgramOutcome => {
  const { dataRequest, dataResult, execute, summary, tally } = Schema.decodeUnknownSync(Answered)(answer).data
  const { cost, durationMs } = Schema.decodeUnknownSync(SummaryRecord)(summary)
  const result = hexBytes(dataResult.result)
  return {
    programId: dataRequest.execProgramId,
    tallyProgramId: dataRequest.tallyProgramId,
    drId: dataResult.drId,
    exitCode: dataResult.exitCode,
    result,
    text: toUtf8Lossy(result),
    gasUsed: BigInt(dataResult.gasUsed),
    exec: phaseOf(execute ?? nothingShown),
    tally: tally === undefined ? null : phaseOf(tally),
    price: {
      base: BigInt(cost.base),
      gas: BigInt(cost.gas),
      dataProxies: BigInt(cost.dataProxies),
      total: BigInt(cost.total)
    },
    calls,
    profiles,
    durationMs
  }
}
