/** Runs the execution phase on one or several executors, each with its share of the gas, and collects their reveals (decision D24). */
import { Context, Effect, Layer } from "effect"
import type { Overloaded } from "../../contract/errors.ts"
import type { Limits } from "../../domain/settings/limits.ts"
import type { PhaseInputs, Reveal } from "../../domain/protocol/phaseInputs.ts"
import { revealOf } from "../../domain/protocol/tallyDecision.ts"
import type { RecordedTape } from "../../domain/reports/recordedRun.ts"
import { chargeableGas } from "../../domain/credits/price.ts"
import { ProgramStorage } from "../../ports/programStorage.ts"
import {
  checkedOutcome,
  type FollowingTally,
  type PhaseOutcome,
  type PhaseRequest,
  ProgramRuntime,
  type ProxyUse,
  type RunOutcome,
  type RunSignature,
  type TallyResult
} from "../../ports/programRuntime.ts"
import type { PreparedRun } from "./preparedRun.ts"
import { Pricing } from "./pricing.ts"

/** The results of the executors of one run. */
export interface ExecutionResult {
  /** One for each executor, in their order. */
  readonly reveals: ReadonlyArray<Reveal>
  /** The first executor's phase, with the gas of all executors. Its storage writes are the ones that count. */
  readonly shown: PhaseOutcome
  /** The gas to charge for; no executor counts for more than its share of the limit. */
  readonly gasCharged: bigint
  readonly proxies: ReadonlyArray<ProxyUse>
  /** The tape of each executor's phase; empty if one of them has none. */
  readonly tapes: ReadonlyArray<RecordedTape>
  /** The tally phase, if the runtime ran it with the only executor's phase. */
  readonly tallied: TallyResult | undefined
  /** The signature of the run's result, if the runtime has made it then. */
  readonly signed: RunSignature | undefined
}

/** What the tally phase needs to know beside the run. */
export type Following = Pick<FollowingTally, "blockHeight" | "sign">

/** Runs execution phases; that of a single executor with the tally phase after it, if the runtime has a way to. */
export class Executors extends Context.Tag("@sibyl/core/Executors")<
  Executors,
  { readonly run: (prepared: PreparedRun, inputs: PhaseInputs, following: Following) => Effect.Effect<ExecutionResult, Overloaded> }
>() {
  /** Over the program runtime and the programs' storage. */
  static readonly layer = Layer.effect(
    Executors,
    Effect.gen(function* () {
      const runtime = yield* ProgramRuntime
      const storage = yield* ProgramStorage
      const { gasPerWorkerMs } = yield* Pricing
      const run = Effect.fnUntraced(function* (prepared: PreparedRun, inputs: PhaseInputs, following: Following) {
        const { replicationFactor } = prepared.request
        const gasLimit = prepared.request.execGasLimit / BigInt(replicationFactor)
        const {
          projectId,
          request: { execProgramId: programId }
        } = prepared
        const asked: PhaseRequest = {
          phase: "exec",
          projectId,
          programId,
          storage: { read: (keys) => storage.read(projectId, programId, keys) },
          program: prepared.execProgram,
          args: inputs.args,
          envs: inputs.envs,
          gasLimit,
          limits: partOf(prepared.limits, replicationFactor),
          ...(prepared.allowedHosts === null ? {} : { allowedHosts: prepared.allowedHosts }),
          isRecorded: prepared.isRecorded,
          // Of several executors, some may have begun.
          ...(replicationFactor === 1
            ? { abandoned: prepared.abandoned }
            : { replication: { runId: prepared.id, executors: replicationFactor } })
        }
        if (replicationFactor === 1 && runtime.runBoth !== undefined) {
          const both = yield* runtime.runBoth(asked, { request: prepared.request, program: prepared.tallyProgram, ...following })
          return executedOf([both.exec], gasLimit, gasPerWorkerMs, both)
        }
        const phases = yield* Effect.replicateEffect(runtime.run(asked), replicationFactor, { concurrency: "unbounded" })
        return executedOf(phases, gasLimit, gasPerWorkerMs)
      })
      return { run }
    })
  )
}

/** No executor may spend credits that were held for another, so the budget for data proxies is divided too. */
const partOf = (limits: Limits, executors: number): Limits =>
  executors === 1 ? limits : { ...limits, proxyBudgetCredits: limits.proxyBudgetCredits / BigInt(executors) }

/** `followed`: what the runtime did behind the only phase. */
const executedOf = (
  phases: ReadonlyArray<PhaseOutcome>,
  gasLimit: bigint,
  gasPerWorkerMs: bigint,
  followed?: RunOutcome
): ExecutionResult => {
  for (const phase of phases) checkedOutcome(phase)
  if (followed?.tally !== undefined && "phase" in followed.tally) checkedOutcome(followed.tally.phase)
  const [first] = phases
  if (first === undefined) throw new RangeError("a run has at least one executor")
  const sum = (part: (phase: PhaseOutcome) => bigint): bigint => phases.reduce((total, phase) => total + part(phase), 0n)
  return {
    reveals: phases.map(revealOf),
    shown: { ...first, gasUsed: sum(({ gasUsed }) => gasUsed) },
    gasCharged: sum((phase) => chargeableGas(phase, gasLimit, gasPerWorkerMs)),
    proxies: phases.flatMap(({ proxies }) => proxies),
    tapes: phases.every(({ tape }) => tape !== undefined) ? phases.flatMap(({ tape }) => tape ?? []) : [],
    tallied: followed?.tally,
    signed: followed?.signed
  }
}
