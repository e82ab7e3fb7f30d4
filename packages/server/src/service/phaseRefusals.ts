/** Whether a program can be deployed: the runtime's word on both phases. */
import { defaultLimits, type Limits, type Phase, programIdOf, ProgramRuntime } from "@sibyl/core"
import { Effect } from "effect"

/** Why each phase cannot start the program; `null` if it can. */
export const phaseRefusalsOf = (
  program: Uint8Array,
  limits: Limits = defaultLimits
): Effect.Effect<Readonly<Record<Phase, string | null>>, never, ProgramRuntime> =>
  Effect.gen(function* () {
    const { validate } = yield* ProgramRuntime
    const programId = programIdOf(program)
    const refusal = (phase: Phase) =>
      validate === undefined ? Effect.succeed(null) : Effect.map(validate({ phase, programId, program, limits }), (why) => why ?? null)
    return { exec: yield* refusal("exec"), tally: yield* refusal("tally") }
  })

/** Why no phase can start it; `undefined` if one can, for which a program may be made alone. */
export const whyNoPhase = (program: Uint8Array): Effect.Effect<string | undefined, never, ProgramRuntime> =>
  Effect.map(phaseRefusalsOf(program), ({ exec, tally }) => (exec === null || tally === null ? undefined : tally))
