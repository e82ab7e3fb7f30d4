/** The port to the virtual machine: runs one phase of one program. */
import { Context, type Effect } from "effect"
import type { Overloaded } from "../contract/errors.ts"
import type { ReachedLimit } from "../contract/reachedLimit.ts"
import type { Abandonment } from "../domain/runs/abandonment.ts"
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import { brokenOutcome } from "../domain/reports/brokenOutcome.ts"
import type { RecordedTape } from "../domain/reports/recordedRun.ts"
import type { TallyRefusal } from "../domain/protocol/tallyRefusal.ts"
import type { Limits } from "../domain/settings/limits.ts"
import type { ProgramFinding } from "../domain/programs/programFinding.ts"
import type { StorageView, StorageWrite } from "../domain/programs/programStorage.ts"

/** Which phase runs. The phases differ in prices, imports, environment order and exit codes (decision D25). */
export type Phase = "exec" | "tally"

/** One phase of one program. Together with the answers from outside it determines the outcome completely. */
export interface PhaseRequest {
  readonly phase: Phase
  /** The project: outbound state (storage, caches) is never shared between projects. */
  readonly projectId: string
  /** 64 lowercase hex characters: Keccak-256 of `program`. */
  readonly programId: string
  readonly program: Uint8Array
  /** The arguments after the program's name. */
  readonly args: ReadonlyArray<string>
  /** In the order in which the program sees them; the order changes gas. */
  readonly envs: ReadonlyArray<readonly [key: string, value: string]>
  readonly gasLimit: bigint
  readonly limits: Limits
  /** The only hosts that the program may reach, within what the runtime allows: exact, or `*.example.com`; absent: all of those. */
  readonly allowedHosts?: ReadonlyArray<string>
  /** The program's storage; if absent, storage calls of the program are rejected. */
  readonly storage?: { readonly read: (keys: ReadonlyArray<string>) => Effect.Effect<StorageView> }
  /**
   * Tells when nobody waits for the answer any more. An execution phase that has not begun by then need not begin: it
   * fails with `Overloaded`. One that has begun ends as if nothing had happened (decision D32).
   */
  readonly abandoned?: Abandonment
  /** Whether the outcome has the phase's tape. Default: it does not. */
  readonly isRecorded?: boolean
  /** Set if this is one of several executions: a runtime with several machines gives no two of them to the same one. */
  readonly replication?: PhaseReplication
}

/** A phase that several executors run, each by itself, to compare what they reveal. */
export interface PhaseReplication {
  /** The same for all of them. */
  readonly runId: string
  readonly executors: number
}

/** Calls through one data proxy at one fee, in one phase. */
export interface ProxyUse {
  readonly publicKey: string
  /** For each call. */
  readonly feeCredits: bigint
  readonly calls: number
}

/** The prefetched requests of a phase: those of the previous run, made before the program asks for them. */
export interface PrefetchUse {
  readonly requested: number
  /** Those whose answers were given to the program. The others are dropped. */
  readonly used: number
}

/** A request of a program to the outside world, and how it was answered. */
export interface AnsweredHostCall {
  /** `proxyPrice` asks for the price of the `proxyFetch` after it. */
  readonly kind: "fetch" | "proxyPrice" | "proxyFetch" | "storage"
  /** Method and address as the program asked, cut after 256 characters; of storage, `read`, `write` or `delete`. */
  readonly request: string
  /** Of the answer to an HTTP request; absent if none came. */
  readonly status?: number
  /** Of the answer's body. */
  readonly bytes: number
  /** From the beginning of the phase until the program could have the answer: a run that prefetches begins when its answers are there. */
  readonly answeredAfterMs: number
}

/** How a phase ended. Traps, exhaustion and time-outs are outcomes too. */
export interface PhaseOutcome {
  /** The exit code of the program or the VM, not reduced to a byte. */
  readonly exitCode: number
  /** The VM's name for the ending: `Ok`, `Not ok`, or why the program could not start. */
  readonly exitMessage: string
  readonly gasUsed: bigint
  /** The gas to charge for; less than `gasUsed` only if the phase timed out (decision D29). */
  readonly gasCharged: bigint
  /** Set if the phase timed out: the time that workers spent on it, in ms, which is charged for too. */
  readonly workerMs?: number
  readonly result: Uint8Array
  readonly stdout: string
  readonly stderr: string
  readonly proxies: ReadonlyArray<ProxyUse>
  /** Why the VM ended the program or did not start it; absent if the program ended by itself. */
  readonly reason?: string
  /** The limits that it reached; absent if there were none. */
  readonly limits?: ReadonlyArray<ReachedLimit>
  /** The program's storage writes in order; absent if there are none. */
  readonly storage?: ReadonlyArray<StorageWrite>
  /** Absent if nothing was prefetched. */
  readonly prefetch?: PrefetchUse
  /** Set if the phase is to be recorded, and the runtime can. */
  readonly tape?: RecordedTape
  /** The first 32 requests to the outside world, in order; absent if there were none. */
  readonly hostCalls?: ReadonlyArray<AnsweredHostCall>
}

/** Whether the filter found consensus, and the tally program's outcome or the reason why it did not run. */
export type TallyResult =
  | { readonly consensus: boolean; readonly phase: PhaseOutcome }
  | { readonly consensus: boolean; readonly refusal: TallyRefusal }

/** The tally phase that follows an execution phase of exit code 0, in a run with one executor. */
export interface FollowingTally {
  readonly request: DataRequest
  readonly blockHeight: bigint
  /** The bytes of `request.tallyProgramId`. */
  readonly program: Uint8Array
  /** Set if the runtime may sign the result, with the key of the service's signer: the version that is signed. */
  readonly sign?: { readonly version: string }
}

/** A result's signature that was made where the run ended. */
export interface RunSignature {
  /** SEC1 compressed, 66 lowercase hex characters. */
  readonly publicKey: string
  /** The time that was signed, ms since the Unix epoch: when the run ended, or more where another run of the request was signed then. */
  readonly timestampMs: number
  /** 65 bytes r‖s‖v in lowercase hex. */
  readonly signature: string
}

/** Both phases of a run with one executor. */
export interface RunOutcome {
  readonly exec: PhaseOutcome
  /** Absent if the execution phase ended with another exit code than 0. */
  readonly tally?: TallyResult
  /** Of the result that follows from both phases; absent if it was not to be signed, or the runtime did not. */
  readonly signed?: RunSignature
}

/** An internal error (never the program's): the run is voided and not charged. It is raised as a defect. */
export class RuntimeDefect extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "RuntimeDefect"
  }
}

/** The same outcome. Throws a {@link RuntimeDefect} where it is none. */
export const checkedOutcome = (outcome: PhaseOutcome): PhaseOutcome => {
  const broken = brokenOutcome(outcome)
  if (broken !== undefined) throw new RuntimeDefect(`the outcome of a phase, as the runtime tells it: ${broken}`)
  return outcome
}

/**
 * Runs one phase. Whatever a program does is an outcome; a {@link RuntimeDefect} is an internal error. The only failure is `Overloaded`, if
 * no worker took an execution phase in time; then nothing ran.
 */
export class ProgramRuntime extends Context.Tag("@sibyl/core/ProgramRuntime")<
  ProgramRuntime,
  {
    readonly run: (request: PhaseRequest) => Effect.Effect<PhaseOutcome, Overloaded>
    /**
     * Runs an execution phase and the tally phase after it as `run` would, one after the other, with the verdict of the filter between
     * them ({@link FollowingTally}); limits, project and whether it is recorded are those of the first. Absent if the runtime gains nothing by it.
     */
    readonly runBoth?: (exec: PhaseRequest, tally: FollowingTally) => Effect.Effect<RunOutcome, Overloaded>
    /**
     * Whether an execution program may call data proxies; false only if it never can. Absent if the runtime cannot tell.
     * Called before every run, so it must be cheap.
     */
    readonly mayAskProxies?: (program: Uint8Array) => boolean
    /** Why this program cannot start in the phase; `undefined` if it can. Absent if the runtime cannot tell. */
    readonly validate?: (request: Pick<PhaseRequest, "phase" | "programId" | "program" | "limits">) => Effect.Effect<string | undefined>
    /** What in the program could differ between executors, or keeps a phase from running it. Absent if the runtime cannot tell. */
    readonly findings?: (request: Pick<PhaseRequest, "programId" | "program" | "limits">) => Effect.Effect<ReadonlyArray<ProgramFinding>>
    /** How many workers are up, idle or busy. Absent if the runtime has none or cannot tell. */
    readonly readyWorkers?: Effect.Effect<number>
  }
>() {}
