/** How the host leaves a running program: WebAssembly has no other way out than an exception. */
import type { HostCall } from "../../tape/tape.ts"

/** Why the program does not go on. */
export type UnwindReason =
  /** `proc_exit`. */
  | { readonly kind: "exit"; readonly code: number }
  /** The program asked the host for something impossible; the text is part of the ABI. */
  | { readonly kind: "trap"; readonly text: string }
  /** A host call that the remaining gas does not pay. */
  | { readonly kind: "unpaidCall" }
  /** An operator that the remaining gas does not pay. */
  | { readonly kind: "outOfGas" }
  /** The tape has no answer to this yet. */
  | { readonly kind: "needs"; readonly call: HostCall }

/** Thrown by host functions through the program, caught where the pass began. */
export class Unwind extends Error {
  readonly reason: UnwindReason
  constructor(reason: UnwindReason) {
    super(reason.kind)
    this.reason = reason
  }
}

/** Ends the program with a trap of the host. */
export const trap = (text: string): never => {
  throw new Unwind({ kind: "trap", text })
}

/** The text of every access outside of the program's memory. */
export const outOfBounds = "memory access out of bounds"

/** The text of every length that is negative where the host takes it as signed. */
export const negativeLength = "Negative length provided"
