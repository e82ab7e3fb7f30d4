/** Both phases of one run, from the data request to the signed report; what is held and charged around it is not its business. */
import { Clock, Context, Effect, Layer } from "effect"
import type { DataRequest, ExecutionReport, PhaseReport, ProxyCharge } from "../domain/executionReport.ts"
import type { Limits } from "../domain/limits.ts"
import { execPhaseInputs } from "../domain/phaseInputs.ts"
import { chargeableGas } from "../domain/price.ts"
import { ChainHead } from "../ports/chainHead.ts"
import { type PhaseOutcome, ProgramRuntime, type ProxyUse } from "../ports/programRuntime.ts"
import { Pricing } from "./pricing.ts"
import { Options } from "./serviceOptions.ts"
import { type Outcome, Signing } from "./signing.ts"
import { Tally } from "./tally.ts"

/** Everything one run depends on. */
export interface PhaseRunRequest {
  readonly id: string
  readonly projectId: string
  readonly source: ExecutionReport["source"]
  readonly request: DataRequest
  readonly execProgram: Uint8Array
  readonly tallyProgram: Uint8Array
  readonly limits: Limits
  /** The last result that the program is shown, if any. */
  readonly last: ExecutionReport | undefined
}

/** Runs the phases of one request. */
export class PhaseRun extends Context.Tag("@sibyl/core/PhaseRun")<
  PhaseRun,
  { readonly run: (request: PhaseRunRequest) => Effect.Effect<ExecutionReport> }
>() {
  /** Over the program runtime, the tally and the signing. */
  static readonly layer = Layer.effect(
    PhaseRun,
    Effect.gen(function*() {
      const runtime = yield* ProgramRuntime
      const chain = yield* ChainHead
      const tally = yield* Tally
      const signing = yield* Signing
      const pricing = yield* Pricing
      const { network } = yield* Options

      const runExec = Effect.fn("PhaseRun.exec")(function*(run: PhaseRunRequest) {
        const { height } = yield* chain.head
        const inputs = execPhaseInputs(run.request, network.chainId, height, run.last)
        return yield* runtime.run({
          phase: "exec",
          projectId: run.projectId,
          programId: run.request.execProgramId,
          program: run.execProgram,
          args: inputs.args,
          envs: inputs.envs,
          gasLimit: run.request.execGasLimit,
          limits: run.limits
        })
      })

      /** A failed execution phase skips the tally (decision D23). */
      const runTally = (run: PhaseRunRequest, exec: PhaseOutcome) =>
        exec.exitCode === 0
          ? tally.run({
            projectId: run.projectId,
            request: run.request,
            program: run.tallyProgram,
            reveals: [{
              result: exec.result,
              exitCode: exec.exitCode,
              gasUsed: exec.gasUsed,
              proxyPublicKeys: proxyKeysOf(exec.proxies)
            }],
            limits: run.limits
          })
          : Effect.succeed(undefined)

      const run = Effect.fn("PhaseRun.run")(function*(asked: PhaseRunRequest) {
        const startedAtMs = yield* Clock.currentTimeMillis
        const exec = yield* runExec(asked)
        const tallied = yield* runTally(asked, exec)
        const outcome = outcomeOf(exec, tallied)
        const { dataResult, signature } = yield* signing.sign(asked.projectId, asked.request, outcome)
        const proxies = proxyCharges([...exec.proxies, ...(tallied?.phase.proxies ?? [])])
        const gasCharged = chargeableGas(exec.gasCharged, asked.request.execGasLimit) +
          chargeableGas(tallied?.phase.gasCharged ?? 0n, asked.request.tallyGasLimit)
        const endedAtMs = yield* Clock.currentTimeMillis
        return {
          id: asked.id,
          projectId: asked.projectId,
          source: asked.source,
          executedAtMs: startedAtMs,
          durationMs: Math.max(0, endedAtMs - startedAtMs),
          dataRequest: asked.request,
          dataResult,
          signature,
          execute: phaseReportOf(exec),
          tally: tallied === undefined ? null : phaseReportOf(tallied.phase),
          cost: pricing.price(gasCharged, proxies),
          proxies
        }
      })

      return { run }
    })
  )
}

const outcomeOf = (
  exec: PhaseOutcome,
  tallied: { readonly consensus: boolean; readonly phase: PhaseOutcome } | undefined
): Outcome => {
  const { exitCode, result } = tallied?.phase ?? exec
  return { consensus: tallied?.consensus ?? true, exitCode, result, gasUsed: exec.gasUsed + (tallied?.phase.gasUsed ?? 0n) }
}

const phaseReportOf = ({ exitCode, gasUsed, result, stderr, stdout }: PhaseOutcome): PhaseReport => ({
  result,
  gasUsed,
  stdout,
  stderr,
  exitCode
})

/** The key of each call that was paid for, sorted, as reveals name them. */
const proxyKeysOf = (uses: ReadonlyArray<ProxyUse>): ReadonlyArray<string> =>
  uses.flatMap(({ calls, publicKey }) => Array.from({ length: calls }, () => publicKey)).toSorted()

const proxyCharges = (uses: ReadonlyArray<ProxyUse>): ReadonlyArray<ProxyCharge> =>
  uses.map(({ calls, feeCredits, publicKey }) => ({ publicKey, fee: feeCredits, calls }))
