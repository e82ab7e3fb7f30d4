/** What the pool and its workers say to each other. Everything can be cloned; a compiled module is shared by that. */
import type { PassInput, PassResult } from "../pass/pass.ts"
import type { Preparation } from "../pass/prepare.ts"

/** A program as bytes, to be prepared by the worker that gets it first. */
export interface ProgramSource {
  readonly programId: string
  readonly bytes: Uint8Array
  readonly memoryPages: number
}

/** One pass to be run. */
export interface PassOrder {
  /** Its program's phase, page limit and id: under this name the worker keeps what it was given last. */
  readonly programKey: string
  /** How many programs the worker keeps; the pool counts along and never names one that is gone. */
  readonly keptPrograms: number
  readonly program:
    | { readonly kind: "known" }
    | { readonly kind: "prepared"; readonly preparation: Preparation }
    | { readonly kind: "source"; readonly source: ProgramSource }
  readonly input: PassInput
}

/** What a worker says: that it has started, how a pass ended, or that something of ours broke. */
export type WorkerReport =
  | { readonly kind: "ready" }
  | {
      readonly kind: "passed"
      readonly result: PassResult
      /** Set when this worker prepared the program. */
      readonly preparation: Preparation | undefined
    }
  | { readonly kind: "defect"; readonly message: string }
