/** How the host ends a running program: the only way out of WebAssembly is an exception. */
import type { HostCall } from "../../tape/tape.ts"

/** Why the program ends. */
export type UnwindReason =
  /** `proc_exit`. */
  | { readonly kind: "exit"; readonly code: number }
  /** The program made an invalid call; the text is part of the ABI. */
  | { readonly kind: "trap"; readonly text: string }
  /** A host call that the remaining gas does not cover. */
  | { readonly kind: "unpaidCall" }
  /** An operator that the remaining gas does not cover. */
  | { readonly kind: "outOfGas" }
  /** The tape has no answer to this yet. */
  | { readonly kind: "needs"; readonly call: HostCall }

/**
 * Thrown by host functions through the program, caught where the pass began. It is no error, and has no stack: taking one
 * would be a tenth of what a short pass costs.
 */
export class Unwind {
  readonly reason: UnwindReason
  constructor(reason: UnwindReason) {
    this.reason = reason
  }
}

/** Ends the program with a trap of the host. */
export const trap = (text: string): never => {
  throw new Unwind({ kind: "trap", text })
}

/** The message for accesses outside of the program's memory. */
export const outOfBounds = "memory access out of bounds"

/** The message for negative lengths where the host treats them as signed. */
export const negativeLength = "Negative length provided"
