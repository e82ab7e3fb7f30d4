/** What clients are told of programs, as schemas with the wire's field names, types and order. */
import { Schema } from "effect"
import { Id, Uint } from "./wireTexts.ts"

/** The program names that the project can use. */
export const ProgramsRecord = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotations({ description: "accepted by execProgramId and tallyProgramId instead of an id" }),
      programId: Id.annotations({ description: "the id of the program that it means now, 64 lowercase hex characters" }),
      since: Schema.String.annotations({ description: "since when; ISO 8601, UTC" }),
      scope: Schema.Literal("service", "project").annotations({
        description: "the owner of the name; a project's own name takes precedence"
      })
    })
  )
}).annotations({ identifier: "Programs" })

/** A program, as the project that asks may use it. */
export const ProgramRecord = Schema.Struct({
  programId: Id,
  names: Schema.Array(Schema.String).annotations({ description: "those that mean it now, sorted" }),
  sizeBytes: Schema.Int,
  findings: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        level: Schema.Literal("warning", "note").annotations({
          description: "warning: it can change what is signed, or keep the program from running; note: good to know"
        }),
        about: Schema.String.annotations({ description: "the kind of finding" }),
        message: Schema.String
      })
    )
  ).annotations({ description: "of the check at deployment; null where the machine that runs programs cannot tell" }),
  lastRuns: Schema.Array(
    Schema.Struct({
      id: Schema.UUID,
      drId: Id,
      executedAt: Schema.String.annotations({ description: "when the run ended, ISO 8601, UTC" }),
      source: Schema.Literal("rest", "ws", "feed"),
      exitCode: Schema.Int.pipe(Schema.between(0, 255)),
      gasUsed: Schema.Struct({ exec: Uint, tally: Uint }),
      creditsUsed: Uint,
      durationMs: Schema.Int
    })
  ).annotations({ description: "at most ten, newest first, of the newest 100 runs of the project" })
}).annotations({ identifier: "Program" })
