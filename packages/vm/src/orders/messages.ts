/** The messages between the pool and its workers, all cloneable; cloning a compiled module shares it. */
import type { Phase, RunSignature } from "@sibyl/core"
import type { TallyDecision } from "@sibyl/core/internal"
import type { Ending } from "../pass/ending.ts"
import type { PassInput, PassResult } from "../pass/pass.ts"
import type { Preparation } from "../pass/prepare.ts"
import type { OrderedTerms } from "./runTerms.ts"

/** A program's bytes, to be prepared by the first worker that needs it. */
export interface ProgramSource {
  readonly programId: string
  readonly bytes: Uint8Array
  readonly memoryPages: number
}

/** A program for one phase. */
export interface OrderedProgram {
  /** Its phase, page limit and id: the key under which the worker keeps the program. */
  readonly key: string
  readonly phase: Phase
  readonly program:
    | { readonly kind: "known" }
    | { readonly kind: "prepared"; readonly preparation: Preparation }
    | { readonly kind: "source"; readonly source: ProgramSource }
}

/** A tally phase that follows an execution phase of exit code 0 on the same worker. */
export interface OrderedTally extends OrderedProgram {
  readonly blockHeight: bigint
  /** Set if the result is to be signed: for which project, and the version that is signed. */
  readonly sign: { readonly projectId: string; readonly version: string } | undefined
}

/** One pass to be run, and the tally phase behind it, if there is one. */
export interface PassOrder extends OrderedProgram, Pick<PassInput, "tape"> {
  readonly terms: OrderedTerms
  readonly ahead: PassInput["ahead"] | undefined
  /** Whether the program is only to be prepared, to tell whether the phase could start it. */
  readonly isCheck: boolean | undefined
  readonly tally: OrderedTally | undefined
}

/** How the tally phase of an order ended, or why there was none. */
export type TallyReport = { readonly consensus: boolean; readonly ending: Ending } | Extract<TallyDecision, { readonly refusal: unknown }>

/** A program that a worker prepared, for the other workers. */
export interface PreparedBy {
  readonly key: string
  readonly preparation: Preparation
}

/** A worker's message: that it has started, how a pass ended, or an internal defect. */
export type WorkerReport =
  | { readonly kind: "ready" }
  | {
      readonly kind: "passed"
      readonly result: PassResult
      /** How long the worker had the order, in ms. */
      readonly ranMs: number
      /** What this worker had to prepare for it. */
      readonly prepared: ReadonlyArray<PreparedBy>
      /** Set if the order had a tally phase and the pass ended the execution phase with exit code 0. */
      readonly tally: TallyReport | undefined
      /** How long the tally phase took, in ms; 0 if there was none. */
      readonly tallyMs: number
      /** The signature of the run's result, if it was asked for, this pass has ended the run and the worker can sign. */
      readonly signed: RunSignature | undefined
    }
  /** The program was prepared. `fault`: why the phase cannot start it. */
  | { readonly kind: "checked"; readonly fault: string | undefined; readonly prepared: ReadonlyArray<PreparedBy> }
  /** It was recalled before it began. */
  | { readonly kind: "leftOut" }
  | { readonly kind: "defect"; readonly message: string }
