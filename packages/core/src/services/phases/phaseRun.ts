/** Runs both phases of one run, from the data request to the signed report. Holding and charging credits happens elsewhere. */
import { type Clock, Context, Effect, Layer } from "effect"
import type { Overloaded } from "../../contract/errors.ts"
import type { ExecutionReport, PhaseReport, ProxyCharge } from "../../domain/reports/executionReport.ts"
import { type GivenSource, passLimitsOf, recordedRunOf, type RunSource } from "../../domain/reports/recordedRun.ts"
import { stderrWithReason } from "../../domain/reports/failureReason.ts"
import type { DataRequest } from "../../domain/protocol/dataRequest.ts"
import type { DataResult } from "../../domain/protocol/dataResult.ts"
import { execPhaseInputs } from "../../domain/protocol/phaseInputs.ts"
import { runResultOf } from "../../domain/protocol/runResult.ts"
import type { StorageWrite } from "../../domain/programs/programStorage.ts"
import type { ChosenTime } from "../../domain/runs/storedTime.ts"
import { chargeableGas } from "../../domain/credits/price.ts"
import { ChainHead } from "../../ports/chainHead.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { Metrics } from "../../ports/metrics/metrics.ts"
import type { PhaseOutcome, ProxyUse } from "../../ports/programRuntime.ts"
import { type ExecutionResult, Executors } from "./executors.ts"
import type { PreparedRun } from "./preparedRun.ts"
import { Pricing } from "./pricing.ts"
import { ResultAges } from "./resultAges.ts"
import { Options } from "../settings/serviceOptions.ts"
import { type EndedRun, type SignedResult, Signing } from "./signing.ts"
import { traced } from "../fibers/traced.ts"
import { Tally } from "./tally.ts"

/** A finished run, and what its execution program writes to its storage. */
export interface CompletedRun {
  readonly report: ExecutionReport
  readonly storage: ReadonlyArray<StorageWrite>
  /** The timestamp of its result, which the transaction of the charge confirms or not. */
  readonly chosen: ChosenTime
  /** The report with a result that is signed again, with a timestamp that the store has given out. */
  readonly signedAgain: (timestampMs: number) => Effect.Effect<ExecutionReport>
  /** The same at once; `undefined` if that cannot be done. */
  readonly signedAgainNow: (timestampMs: number) => ExecutionReport | undefined
}

/** Runs the phases of one request. */
export class PhaseRun extends Context.Tag("@sibyl/core/PhaseRun")<
  PhaseRun,
  { readonly run: (prepared: PreparedRun) => Effect.Effect<CompletedRun, Overloaded> }
>() {
  /** Over the executors, the tally and the signing. */
  static readonly layer = Layer.effect(
    PhaseRun,
    Effect.gen(function* () {
      const executors = yield* Executors
      const chain = yield* ChainHead
      const tally = yield* Tally
      const signing = yield* Signing
      const pricing = yield* Pricing
      const ages = yield* ResultAges
      const { network } = yield* Options
      const metrics = yield* Metrics

      const run = Effect.fnUntraced(function* (prepared: PreparedRun) {
        const clock = yield* Effect.clock
        const startedAtNanos = clock.unsafeCurrentTimeNanos()
        const { height: blockHeight, timestampMs: beganAtMs } = yield* chain.head
        const inputs = execPhaseInputs(prepared.request, network.chainId, blockHeight, prepared.last)
        const elsewhere = yield* signing.elsewhere
        const following = { blockHeight, ...(elsewhere === undefined ? {} : { sign: elsewhere }) }
        const exec = yield* traced("execute", executors.run(prepared, inputs, following))
        // With one executor, a failed execution phase is the outcome (decision D23); several executors must agree on it.
        const skipsTally = exec.reveals.length === 1 && exec.shown.exitCode !== 0
        // One that ran behind the execution phase was told the same height.
        const tallied = skipsTally
          ? undefined
          : exec.tallied === undefined
            ? yield* traced("tally", tally.run(prepared, exec.reveals))
            : { blockHeight, ...exec.tallied }
        const phase = tallied !== undefined && "phase" in tallied ? tallied.phase : undefined
        const { projectId, request } = prepared
        const outcome = runResultOf(exec.shown, tallied)
        const ended: EndedRun = { projectId, request, outcome, beganAtMs, signed: exec.signed }
        const { chosen, dataResult, signature } = yield* traced("sign", signing.sign(ended))
        const endedAtNanos = clock.unsafeCurrentTimeNanos()
        ages.born(prepared.id, endedAtNanos)
        const durationNanos = endedAtNanos - startedAtNanos
        metrics.observe(metricList.runSeconds, Number(durationNanos) / 1e9)
        countLimits(metrics, exec.shown)
        if (phase !== undefined) countLimits(metrics, phase)
        const { cost, proxies } = costOf(exec, phase, request, pricing)
        const seen = { chainId: network.chainId, execHeight: blockHeight, tallyHeight: tallied?.blockHeight ?? blockHeight }
        const report: ExecutionReport = {
          id: prepared.id,
          projectId: prepared.projectId,
          source: prepared.source,
          executedAtMs: endedAtMs(chain, clock, dataResult),
          durationMs: Math.round(Number(durationNanos) / 1e6),
          dataRequest: prepared.request,
          dataResult,
          signature,
          execute: phaseReportOf(exec.shown),
          tally: phase === undefined ? null : phaseReportOf(phase),
          cost,
          proxies,
          ...recordedOf(prepared, seen, exec, phase)
        }
        // What a failed run wrote is discarded (decision D44).
        const storage = dataResult.exitCode === 0 ? (exec.shown.storage ?? []) : []
        const dated: Dated = (again) => ({ ...report, ...again, executedAtMs: endedAtMs(chain, clock, again.dataResult) })
        const signedAgain = signingAgain(signing, ended, dated)
        const signedAgainNow = signingAgainNow(signing, ended, dated)
        return { report, storage, chosen, signedAgain, signedAgainNow }
      })

      return { run }
    })
  )
}

/** What both phases cost together. */
const costOf = (
  exec: ExecutionResult,
  tally: PhaseOutcome | undefined,
  { tallyGasLimit }: DataRequest,
  pricing: Context.Tag.Service<Pricing>
): Pick<ExecutionReport, "cost" | "proxies"> => {
  const proxies = mergedCharges([...exec.proxies, ...(tally?.proxies ?? [])])
  const tallyGas = tally === undefined ? 0n : chargeableGas(tally, tallyGasLimit, pricing.gasPerWorkerMs)
  return { cost: pricing.price(exec.gasCharged + tallyGas, proxies), proxies }
}

const countLimits = (metrics: Context.Tag.Service<Metrics>, { limits = [] }: PhaseOutcome): void => {
  for (const { limit } of limits) metrics.add(metricList.limitsReached, 1, limit)
}

/** The signed time, by which the newest report is the one of the newest result. Of a chain it may be any time: then it is the clock's. */
const endedAtMs = (chain: Context.Tag.Service<ChainHead>, clock: Clock.Clock, { blockTimestamp }: DataResult): number =>
  chain.isClock === true ? Number(blockTimestamp) : clock.unsafeCurrentTimeMillis()

/** The report with this result. */
type Dated = (again: SignedResult) => ExecutionReport

const signingAgain =
  (signing: Context.Tag.Service<Signing>, ended: EndedRun, dated: Dated): CompletedRun["signedAgain"] =>
  (timestampMs) =>
    Effect.map(traced("sign", signing.signAgain(ended, timestampMs)), dated)

const signingAgainNow =
  (signing: Context.Tag.Service<Signing>, ended: EndedRun, dated: Dated): CompletedRun["signedAgainNow"] =>
  (timestampMs) => {
    const again = signing.signAgainNow(ended, timestampMs)
    return again === undefined ? undefined : dated(again)
  }

const phaseReportOf = ({ exitCode, gasUsed, hostCalls, limits, prefetch, reason, result, stderr, stdout }: PhaseOutcome): PhaseReport => ({
  result,
  gasUsed,
  stdout,
  stderr: stderrWithReason(stderr, reason),
  exitCode,
  ...(reason === undefined ? {} : { reason }),
  ...(limits === undefined ? {} : { limits }),
  ...(prefetch === undefined ? {} : { prefetch }),
  ...(hostCalls === undefined ? {} : { hostCalls })
})

/** What the run depended on, if it is to be recorded and the runtime has told. */
const recordedOf = (
  { isRecorded, last, limits }: PreparedRun,
  chain: Pick<RunSource, "chainId" | "execHeight" | "tallyHeight">,
  exec: ExecutionResult,
  tally: PhaseOutcome | undefined
): Pick<ExecutionReport, "recorded"> => {
  if (!isRecorded || exec.tapes.length === 0 || (tally !== undefined && tally.tape === undefined)) return {}
  const source: GivenSource = {
    ...chain,
    lastResult: last === undefined ? null : givenResultOf(last),
    limits: passLimitsOf(limits),
    execTapes: exec.tapes,
    tallyTape: tally?.tape ?? null
  }
  return { recorded: recordedRunOf(source, limits.recordingBytes) }
}

const givenResultOf = ({ dataResult: { blockTimestamp, exitCode, result } }: ExecutionReport): RunSource["lastResult"] => ({
  result,
  exitCode,
  blockTimestamp
})

/** One line for each proxy and fee, in the order of first use. */
const mergedCharges = (uses: ReadonlyArray<ProxyUse>): ReadonlyArray<ProxyCharge> => {
  const merged = new Map<string, ProxyCharge>()
  for (const { calls, feeCredits, publicKey } of uses) {
    const name = `${publicKey}/${feeCredits}`
    merged.set(name, { publicKey, fee: feeCredits, calls: calls + (merged.get(name)?.calls ?? 0) })
  }
  return [...merged.values()]
}
