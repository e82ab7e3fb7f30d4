/** The options of calls, as code without types gives them: a misspelled name would be ignored, and a schema that is none be found after the charge. */
import { InvalidOption } from "../errors/clientError.ts"
import { checkedNames, type NamesOf } from "../ground/checkedNames.ts"
import type { ResultSchema } from "../ground/resultSchema.ts"

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, which rejects with its reason. A run that has begun goes on and is charged. */
  readonly signal?: AbortSignal | undefined
}

/** What a call for a result takes. */
export interface ResultOptions<R> extends CallOptions {
  /** What the result must be; with one, `encoding` is `json` unless the request says otherwise. */
  readonly schema?: ResultSchema<R> | undefined
}

/** What a run takes. */
export interface ExecuteOptions<R> extends ResultOptions<R> {
  /** Makes calls with the same key one run, also those of other processes; by default each call has its own, for its attempts. */
  readonly idempotencyKey?: string | undefined
}

const callNames: NamesOf<Required<CallOptions>> = { signal: true }

const resultNames: NamesOf<Required<ResultOptions<unknown>>> = { ...callNames, schema: true }

const executeNames: NamesOf<Required<ExecuteOptions<unknown>>> = { ...resultNames, idempotencyKey: true }

/** Throws {@link InvalidOption} for what is no signal. */
export const checkSignal = (signal: AbortSignal | undefined): void => {
  if (signal !== undefined && typeof signal?.throwIfAborted !== "function")
    throw new InvalidOption("options.signal", "must be an AbortSignal")
}

/** Throws {@link InvalidOption} for what is no schema. */
export const checkSchema = (schema: ResultSchema<unknown> | undefined): void => {
  if (schema === undefined || typeof schema?.["~standard"]?.validate === "function") return
  throw new InvalidOption("options.schema", "must be a Standard Schema")
}

/** The same. Throws {@link InvalidOption}. */
export const checkedCallOptions = (options: CallOptions): CallOptions => {
  checkSignal(checkedNames("options", options, callNames).signal)
  return options
}

/** The same. Throws {@link InvalidOption}. */
export const checkedResultOptions = <R>(options: ResultOptions<R>): ResultOptions<R> => {
  const { schema, signal } = checkedNames<ResultOptions<R>>("options", options, resultNames)
  checkSignal(signal)
  checkSchema(schema)
  return options
}

/** The same. Throws {@link InvalidOption}. */
export const checkedExecuteOptions = <R>(options: ExecuteOptions<R>): ExecuteOptions<R> => {
  const { idempotencyKey, schema, signal } = checkedNames<ExecuteOptions<R>>("options", options, executeNames)
  checkSignal(signal)
  checkSchema(schema)
  // As services take it; what is no header value would look like a service that cannot be reached.
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new InvalidOption("options.idempotencyKey", "must be 1 to 255 visible ASCII characters")
  }
  return options
}
