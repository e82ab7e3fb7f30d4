/** Which failures of an effect are errors of the contract: a port that is written without types may fail with anything. */
import { Cause, Option } from "effect"
import type { Failure } from "./errors.ts"

const isKnown = (failure: unknown): failure is Failure =>
  failure instanceof Error &&
  "_tag" in failure &&
  typeof failure._tag === "string" &&
  "status" in failure &&
  typeof failure.status === "number" &&
  "rpcCode" in failure &&
  typeof failure.rpcCode === "number"

/** The error of a cause that a client may be told. Undefined for any other failure, which is as unexpected as a defect. */
export const knownFailureIn = (cause: Cause.Cause<unknown>): Failure | undefined =>
  Option.getOrUndefined(Option.filter(Cause.failureOption(cause), isKnown))
