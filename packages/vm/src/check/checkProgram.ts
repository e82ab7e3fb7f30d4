/** Whether a program can be deployed: the verdict without running it. */
import { defaultLimits, type Phase } from "@sibyl/core"
import { Data, Either } from "effect"
import type { RefusalKind } from "../binary/refusal.ts"
import { meterProgram } from "../pass/prepare.ts"
import { linkFault } from "./linkFault.ts"
import { sizeFault } from "./sizeFault.ts"

export type { RefusalKind } from "../binary/refusal.ts"

/** Why a phase would not run a program. `link`: imports, memory or exports do not match what the phase offers. */
export class ProgramRefused extends Data.TaggedError("ProgramRefused")<{
  readonly reason: RefusalKind | "link"
  readonly message: string
  /** The byte of the module, if known. */
  readonly offset?: number
}> {}

const refused = (reason: ProgramRefused["reason"], message: string): Either.Either<never, ProgramRefused> =>
  Either.left(new ProgramRefused({ reason, message }))

/**
 * Checks a program as the phase would before its first operator: size, structure, bounds, features, types, imports, memory, exports. No
 * engine sees the module, so a check takes time linear in its bytes. Accepted programs may still trap, run out of gas or have segments
 * outside of their memory.
 */
export const checkProgram = (
  bytes: Uint8Array,
  phase: Phase,
  limits: { readonly programBytes: number; readonly memoryPages: number } = defaultLimits
): Either.Either<void, ProgramRefused> => {
  const tooLarge = sizeFault(bytes, limits)
  if (tooLarge !== undefined) return refused("bound", tooLarge)
  const verdict = meterProgram(bytes, phase, limits.memoryPages)
  if (!verdict.accepted) {
    const { kind, ...rest } = verdict.refusal
    return Either.left(new ProgramRefused({ reason: kind, ...rest }))
  }
  const fault = linkFault(verdict.value.link, phase)
  return fault === undefined ? Either.void : refused("link", fault)
}
