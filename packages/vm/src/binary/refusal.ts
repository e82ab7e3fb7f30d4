/** Why a module is refused: a value outside of this folder, one private exception inside of it. */

/**
 * `malformed`: the bytes are not a module. `feature`: a proposal that the phase does not run. `bound`: larger than the
 * sandbox allows. `invalid`: well formed, but the types or indices do not fit.
 */
export type RefusalKind = "malformed" | "feature" | "bound" | "invalid"

/** One refusal: what is wrong, in words, and at which byte of the module where that is known. */
export interface Refusal {
  readonly kind: RefusalKind
  readonly message: string
  readonly offset?: number
}

/** Either a value or the reason why there is none. */
export type Verdict<A> = { readonly accepted: true; readonly value: A } | { readonly accepted: false; readonly refusal: Refusal }

/** Leaves a half-read module. Thrown by {@link refuse} only, caught by {@link verdictOf} only. */
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

/** Runs a reading step and turns a refusal into a value. Any other exception is a defect of ours and passes through. */
export const verdictOf = <A>(read: () => A): Verdict<A> => {
  try {
    return { accepted: true, value: read() }
  } catch (fault) {
    if (fault instanceof RefusedModule) return { accepted: false, refusal: fault.refusal }
    throw fault
  }
}
