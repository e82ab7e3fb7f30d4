/** Why a module is refused: a value outside of this folder, a private exception inside of it. */

/**
 * `malformed`: the bytes are not a module. `feature`: a proposal that the phase does not support. `bound`: larger than the sandbox allows.
 * `invalid`: well formed, but types or indices do not match.
 */
export type RefusalKind = "malformed" | "feature" | "bound" | "invalid"

/** One refusal: the message, and the byte of the module where it is known. */
export interface Refusal {
  readonly kind: RefusalKind
  readonly message: string
  readonly offset?: number
}

/** Either a value or a refusal. */
export type Verdict<A> = { readonly accepted: true; readonly value: A } | { readonly accepted: false; readonly refusal: Refusal }

/** Aborts reading. Thrown by {@link refuse} only, caught by {@link verdictOf} only. */
class RefusedModule extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** Stops reading: the module is refused for this reason. `offset` is in bytes from the module's start. */
export const refuse = (kind: RefusalKind, message: string, offset?: number): never => {
  throw new RefusedModule(offset === undefined ? { kind, message } : { kind, message, offset })
}

/** Runs a reading step and turns a refusal into a value. Any other exception is an internal defect and passes through. */
export const verdictOf = <A>(read: () => A): Verdict<A> => {
  try {
    return { accepted: true, value: read() }
  } catch (fault) {
    if (fault instanceof RefusedModule) return { accepted: false, refusal: fault.refusal }
    throw fault
  }
}
