/** The messages between the pool and its workers, all cloneable; cloning a compiled module shares it. */
import type { PassInput, PassResult } from "../pass/pass.ts"
import type { Preparation } from "../pass/prepare.ts"

/** A program's bytes, to be prepared by the first worker that gets it. */
export interface ProgramSource {
  readonly programId: string
  readonly bytes: Uint8Array
  readonly memoryPages: number
}

/** One pass to be run. */
export interface PassOrder {
  /** Its program's phase, page limit and id: the key under which the worker keeps the program. */
  readonly programKey: string
  /** How many programs the worker keeps; the pool tracks them and never names one that was dropped. */
  readonly keptPrograms: number
  readonly program:
    | { readonly kind: "known" }
    | { readonly kind: "prepared"; readonly preparation: Preparation }
    | { readonly kind: "source"; readonly source: ProgramSource }
  readonly input: PassInput
}

/** A worker's message: that it has started, how a pass ended, or an internal defect. */
export type WorkerReport =
  | { readonly kind: "ready" }
  | {
      readonly kind: "passed"
      readonly result: PassResult
      /** Set if this worker prepared the program. */
      readonly preparation: Preparation | undefined
    }
  | { readonly kind: "defect"; readonly message: string }
