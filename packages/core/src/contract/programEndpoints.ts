/** The endpoints that tell of programs. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import * as Errors from "./errors.ts"
import { ProgramRecord, ProgramsRecord } from "./programRecords.ts"

/** `GET /programs`. */
export const namesOfPrograms = HttpApiEndpoint.get("programs", "/programs")
  .annotate(OpenApi.Summary, "Program names")
  .annotate(OpenApi.Description, "The names that this project can use for programs, each with its current program.")
  .addSuccess(ProgramsRecord)

const programParameter = HttpApiSchema.param("program", Schema.String.annotations({ description: "the program's id, or a name of it" }))

const programDescription =
  "Size, names and findings of a deployed program that the project may run, and the gas and credits of the project's last runs of it."

/** `GET /programs/{program}`. */
export const oneProgram = HttpApiEndpoint.get("program")`/programs/${programParameter}`
  .annotate(OpenApi.Summary, "A program, what is found in it, and what it cost")
  .annotate(OpenApi.Description, programDescription)
  .addSuccess(ProgramRecord)
  .addError(Errors.InvalidParameter.wire)
  .addError(Errors.ProgramNotAllowed.wire)
  .addError(Errors.ProgramNotFound.wire)
