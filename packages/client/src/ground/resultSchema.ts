/** Results typed by a schema: any library that implements Standard Schema (https://standardschema.dev), version 1. */
import type { ExecuteResponse } from "../contract/records.ts"
import { InvalidResult, type ResultIssue } from "../errors/clientError.ts"

/** What a schema finds: a value, or issues. */
export type SchemaOutcome<R> = { readonly value: R; readonly issues?: undefined } | { readonly issues: ReadonlyArray<ResultIssue> }

/** The part of a Standard Schema that is used. */
export interface ResultSchema<R> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaOutcome<R> | Promise<SchemaOutcome<R>>
    readonly types?: { readonly input: unknown; readonly output: R } | undefined
  }
}

/** A successful run: the result as its schema gives it, and the answer as it was received. */
export interface Executed<R = unknown> {
  /** In the requested encoding; with a schema, what that makes of it. */
  readonly result: R
  /** As it was received, signed: for `verify`, a contract or an archive. */
  readonly answer: ExecuteResponse
}

/** What a schema makes of a value. One that throws finds the same as one that has an issue: the run is over, and charged, either way. */
const outcomeOf = async <R>(value: unknown, schema: ResultSchema<R>, answer: ExecuteResponse): Promise<SchemaOutcome<R>> => {
  try {
    return await schema["~standard"].validate(value)
  } catch (caught) {
    throw new InvalidResult([{ message: `the schema threw ${String(caught)}` }], answer, caught)
  }
}

/** Reads the result of an answer. Throws {@link InvalidResult}. */
export const readResult = async <R>(answer: ExecuteResponse, schema: ResultSchema<R> | undefined): Promise<Executed<R>> => {
  const { result } = answer.data
  if (schema === undefined) return { result: result as R, answer }
  const outcome = await outcomeOf(result, schema, answer)
  if (outcome.issues !== undefined) throw new InvalidResult(outcome.issues, answer)
  return { result: outcome.value, answer }
}
