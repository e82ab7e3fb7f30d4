/** What follows from a recording: the phases to run again, and how their outcomes compare with what was recorded. Decisions only. */
import { fromHex, toHex } from "../encoding/bytes.ts"
import { dataRequestIdOf } from "../protocol/dataRequestId.ts"
import { dataResultIdOf } from "../protocol/dataResultId.ts"
import { execPhaseInputs, type PhaseInputs, tallyBaseOf } from "../protocol/phaseInputs.ts"
import { recoverSigner } from "../protocol/resultSignature.ts"
import { dataResultOf, runResultOf, type TallyEnd } from "../protocol/runResult.ts"
import { revealOf, tallyDecisionOf } from "../protocol/tallyDecision.ts"
import { stderrWithReason } from "../reports/failureReason.ts"
import type { RunSource } from "../reports/recordedRun.ts"
import type { RecordedPhase, Recording } from "./recording.ts"

/** A phase as a runtime runs it again. */
export interface PhaseToReplay extends PhaseInputs {
  readonly phase: "exec" | "tally"
  readonly programId: string
  readonly program: Uint8Array
  readonly gasLimit: bigint
  readonly limits: RunSource["limits"]
  /** JSON that the runtime has written. */
  readonly tape: string
}

/** How a phase has ended now. */
export interface ReplayedPhase extends RecordedPhase {
  readonly reason?: string | undefined
  readonly proxies: ReadonlyArray<{ readonly publicKey: string; readonly calls: number }>
}

/** One value, as it was recorded and as it is now. */
export interface ComparedValue {
  /** Such as `tally.gasUsed`. */
  readonly name: string
  readonly recorded: string
  readonly replayed: string
  readonly isSame: boolean
}

const noProgram = new Uint8Array()

/** The execution phase of each executor. */
export const execPhasesOf = ({ dataRequest, execTapes, programs, source }: Recording): ReadonlyArray<PhaseToReplay> => {
  const { chainId, execHeight, lastResult, limits } = source
  const last = lastResult === null ? undefined : { dataResult: lastResult }
  const inputs = execPhaseInputs(dataRequest, chainId, execHeight, last)
  const { execGasLimit, execProgramId: programId, replicationFactor } = dataRequest
  const gasLimit = execGasLimit / BigInt(replicationFactor)
  const program = programs[programId] ?? noProgram
  return execTapes.map((tape) => ({ phase: "exec", programId, program, ...inputs, gasLimit, limits, tape }))
}

/** The tally phase after these execution phases, or the outcome without one; `undefined` if there is no tally (decision D23). */
export const tallyPhaseOf = (
  { dataRequest, programs, source, tallyTape }: Recording,
  execs: ReadonlyArray<ReplayedPhase>
): { readonly consensus: boolean; readonly run: PhaseToReplay } | TallyEnd | undefined => {
  const [first] = execs
  if (execs.length === 1 && first?.exitCode !== 0) return undefined
  const decision = tallyDecisionOf(tallyBaseOf(dataRequest), source.tallyHeight, execs.map(revealOf))
  if ("refusal" in decision) return decision
  const { tallyGasLimit: gasLimit, tallyProgramId: programId } = dataRequest
  const program = programs[programId] ?? noProgram
  const run: PhaseToReplay = {
    phase: "tally",
    programId,
    program,
    ...decision.inputs,
    gasLimit,
    limits: source.limits,
    tape: tallyTape ?? ""
  }
  return { consensus: decision.consensus, run }
}

const compared = (name: string, recorded: string, replayed: string): ComparedValue => ({
  name,
  recorded,
  replayed,
  isSame: recorded === replayed
})

const nothing = "none"

/** The parts of a phase, `none` on the side that has no such phase. */
const comparedPhases = (name: string, recorded: RecordedPhase | null, replayed: RecordedPhase | null): ReadonlyArray<ComparedValue> => {
  if (recorded === null && replayed === null) return []
  const part = (read: (phase: RecordedPhase) => string, phase: RecordedPhase | null): string => (phase === null ? nothing : read(phase))
  const row = (field: string, read: (phase: RecordedPhase) => string): ComparedValue =>
    compared(`${name}.${field}`, part(read, recorded), part(read, replayed))
  return [
    row("exitCode", ({ exitCode }) => String(exitCode)),
    row("gasUsed", ({ gasUsed }) => String(gasUsed)),
    row("result", ({ result }) => toHex(result)),
    row("stdout", ({ stdout }) => stdout),
    row("stderr", ({ stderr }) => stderr)
  ]
}

/** As a report has it: with the reason of the VM below the program's own output. */
const asReported = (phase: ReplayedPhase): RecordedPhase => ({ ...phase, stderr: stderrWithReason(phase.stderr, phase.reason) })

/** All values of a run that was recorded, beside those of its replay; `tally` as it ended, if there was one. */
export const comparisonOf = (
  recording: Recording,
  execs: ReadonlyArray<ReplayedPhase>,
  tally: TallyEnd | { readonly consensus: boolean; readonly phase: ReplayedPhase } | undefined
): ReadonlyArray<ComparedValue> => {
  const { dataRequest, dataResult, run, signature } = recording
  const [first] = execs
  if (first === undefined) throw new RangeError("a run has at least one executor")
  const shown = { ...first, gasUsed: execs.reduce((sum, { gasUsed }) => sum + gasUsed, 0n) }
  const drId = dataRequestIdOf(dataRequest)
  const { blockHeight, blockTimestamp, version } = dataResult
  const identity = { version, drId, blockHeight, timestampMs: Number(blockTimestamp) }
  const replayed = dataResultOf(identity, runResultOf(shown, tally))
  const resultId = dataResultIdOf(replayed)
  const tallied = tally !== undefined && "phase" in tally && "stdout" in tally.phase ? asReported(tally.phase) : null
  return [
    compared("drId", dataResult.drId, drId),
    ...comparedPhases("execute", recording.execute, asReported(shown)),
    ...comparedPhases("tally", recording.tally, tallied),
    compared("consensus", String(dataResult.consensus), String(replayed.consensus)),
    compared("exitCode", String(dataResult.exitCode), String(replayed.exitCode)),
    compared("gasUsed", String(dataResult.gasUsed), String(replayed.gasUsed)),
    compared("result", toHex(dataResult.result), toHex(replayed.result)),
    compared("resultId", toHex(dataResultIdOf(dataResult)), toHex(resultId)),
    compared("signer", run.signer, recoverSigner(resultId, fromHex(signature) ?? new Uint8Array()) ?? nothing)
  ]
}
