/** The parameters of a durable feed's runs: checked when it is created, kept as JSON text, and read again for each run. */
import { Either } from "effect"
import { FeedNotFound, InvalidParameter } from "../../contract/errors.ts"
import type { ResolvedProject } from "../../domain/accounts/project.ts"
import { type JsonNumber, printJson, readJson } from "../../domain/encoding/losslessJson.ts"
import { type ExecuteParameters, isParameterPlace, type ParameterPlace } from "./executeParameters.ts"
import { readExecution } from "./executionRequest.ts"

/** The form of a feed's id. */
const feedIdForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Text that cannot be an id is not echoed: it may be a misplaced secret. */
export const noSuchFeed = (feedId: string): FeedNotFound =>
  new FeedNotFound({ message: "the project has no feed with this id", ...(feedIdForm.test(feedId) ? { details: { feedId } } : {}) })

/** As written: the digits of its numbers and the order of its keys are part of the inputs. */
export const executionText = (place: ParameterPlace): string => printJson(place, ({ digits }: JsonNumber) => digits)

/** The same refusal, with the path of the parameter within the request that contains the execution. */
export const insideExecute = (refusal: InvalidParameter): InvalidParameter => {
  const { parameter, rule } = refusal.details ?? {}
  return InvalidParameter.because(`execute.${String(parameter)}`, String(rule))
}

const asksForNoRun = ["dryRun", "returnLastResult"] as const

/** Reads the parameters of a durable feed's runs; each of its ticks runs, so what would answer without a run is refused. */
export const readFeedExecution = (place: ParameterPlace, project: ResolvedProject): Either.Either<ExecuteParameters, InvalidParameter> =>
  Either.flatMap(Either.mapLeft(readExecution([place], project), insideExecute), (parameters) => {
    const refused = asksForNoRun.find((name) => parameters.options[name] === true)
    return refused === undefined
      ? Either.right(parameters)
      : Either.left(InvalidParameter.because(`execute.${refused}`, "must be off: every tick of a durable feed runs"))
  })

/** Reads them from the stored text; limits may have changed since. */
export const readStoredExecution = (text: string, project: ResolvedProject): Either.Either<ExecuteParameters, InvalidParameter> => {
  const read = readJson(text)
  return read.ok && isParameterPlace(read.value)
    ? readFeedExecution(read.value, project)
    : Either.left(InvalidParameter.because("execute", "must be an object with the parameters of feed.execute"))
}
