/** The port to the virtual machine: runs one phase of one program. */
import { Context, type Effect } from "effect"
import type { Overloaded } from "../contract/errors.ts"
import type { Limits } from "../domain/settings/limits.ts"
import type { StorageView, StorageWrite } from "../domain/programs/programStorage.ts"

/** Which phase runs. The phases differ in prices, imports, environment order and exit codes (decision D25). */
export type Phase = "exec" | "tally"

/** One phase of one program, complete: nothing else decides what it computes except the answers of the outside world. */
export interface PhaseRequest {
  readonly phase: Phase
  /** Who runs it: outbound state (storage, caches) never crosses projects. */
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
  /** What the program kept before; left out where programs keep nothing: it is told so when it asks. */
  readonly storage?: { readonly read: (keys: ReadonlyArray<string>) => Effect.Effect<StorageView> }
}

/** Calls through one data proxy at one fee, in one phase. */
export interface ProxyUse {
  readonly publicKey: string
  /** For each call. */
  readonly feeCredits: bigint
  readonly calls: number
}

/** How a phase ended. Traps, exhaustion and time-outs are outcomes too. */
export interface PhaseOutcome {
  /** As the program or the machine gave it, not reduced to a byte. */
  readonly exitCode: number
  /** How the machine names the ending: `Ok`, `Not ok`, or why the program could not start. */
  readonly exitMessage: string
  readonly gasUsed: bigint
  /** The gas to charge for; less than `gasUsed` only when the wall clock ended the phase (decision D29). */
  readonly gasCharged: bigint
  /** Set when the wall clock ended the phase: the time that workers spent on it, in ms, which is charged for too. */
  readonly workerMs?: number
  readonly result: Uint8Array
  readonly stdout: string
  readonly stderr: string
  readonly proxies: ReadonlyArray<ProxyUse>
  /** Why the machine ended the program or did not start it. Left out: the program chose its end. */
  readonly reason?: string
  /** What the program wants to keep from now on, in the order of its writes. Left out: nothing. */
  readonly storage?: ReadonlyArray<StorageWrite>
}

/** A fault of ours (never of the program): the run is voided and not charged. It travels as a defect. */
export class RuntimeDefect extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "RuntimeDefect"
  }
}

/**
 * Runs one phase. Whatever a program does is an outcome; a {@link RuntimeDefect} is ours. It fails only with `Overloaded`,
 * when an execution phase found no room or waited too long for its start: then nothing ran.
 */
export class ProgramRuntime extends Context.Tag("@sibyl/core/ProgramRuntime")<
  ProgramRuntime,
  {
    readonly run: (request: PhaseRequest) => Effect.Effect<PhaseOutcome, Overloaded>
    /**
     * Whether an execution program could ask data proxies; false only when it never can. Left out by runtimes that cannot
     * tell. Asked before every run, so it must cost next to nothing.
     */
    readonly mayAskProxies?: (program: Uint8Array) => boolean
    /** Why the phase could not start this program, `undefined` when it could. Left out by runtimes that cannot tell. */
    readonly validate?: (request: Pick<PhaseRequest, "phase" | "programId" | "program" | "limits">) => Effect.Effect<string | undefined>
    /** How many workers are up, idle or at work. Left out by runtimes that have none or cannot tell. */
    readonly readyWorkers?: Effect.Effect<number>
  }
>() {}
