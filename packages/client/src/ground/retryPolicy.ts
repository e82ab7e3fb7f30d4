/** Whether and when something that failed is tried again: plain functions. */
import { type ClientError, ServiceRefusal, UnexpectedAnswer } from "../errors/clientError.ts"
import { checkedNames } from "./checkedNames.ts"
import { checkedCount, checkedMs } from "./checkedNumbers.ts"

/** How calls are tried again. Connections of feeds are opened again without end, with the same waits but none above `maxRetryAfterMs`. */
export interface RetryPolicy {
  /** How often a call is tried in all; 1: never again; `Infinity`: without end. */
  readonly attempts: number
  /** The wait before the second attempt; it doubles with each further one. */
  readonly firstWaitMs: number
  readonly maxWaitMs: number
  /** A longer `Retry-After` of the service ends the call with its error. */
  readonly maxRetryAfterMs: number
}

/** What a user gives of it; `undefined` is the default. */
export type RetryOptions = { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined }

/** The policy of a client that is given none. */
export const defaultRetry: RetryPolicy = { attempts: 4, firstWaitMs: 200, maxWaitMs: 5_000, maxRetryAfterMs: 30_000 }

/** The policy with what a user gives of it. Throws {@link InvalidOption}. */
export const checkedRetry = (given: RetryOptions): RetryPolicy => {
  const {
    attempts = defaultRetry.attempts,
    firstWaitMs = defaultRetry.firstWaitMs,
    maxRetryAfterMs = defaultRetry.maxRetryAfterMs,
    maxWaitMs = defaultRetry.maxWaitMs
  } = checkedNames<RetryOptions>("retry", given, { attempts: true, firstWaitMs: true, maxWaitMs: true, maxRetryAfterMs: true })
  return {
    attempts: checkedCount("retry.attempts", attempts),
    firstWaitMs: checkedMs("retry.firstWaitMs", firstWaitMs, 0),
    maxWaitMs: checkedMs("retry.maxWaitMs", maxWaitMs, 0),
    maxRetryAfterMs: checkedMs("retry.maxRetryAfterMs", maxRetryAfterMs, 0)
  }
}

const transientTags: ReadonlySet<string> = new Set([
  "InternalError",
  "NotReached",
  "Overloaded",
  "RequestTimeout",
  "TooManyConnections",
  "Unavailable"
])

const transientStatuses: ReadonlySet<number | undefined> = new Set([408, 425, 502, 503, 504])

/** What the service, or a proxy before it, asks for by `Retry-After`. */
const askedOf = (error: ClientError | undefined): number | undefined =>
  error instanceof ServiceRefusal || error instanceof UnexpectedAnswer ? error.retryAfterMs : undefined

/** Whether the same request may succeed later. A refusal with `Retry-After` may. */
export const isTransient = (error: ClientError): boolean => {
  if (askedOf(error) !== undefined) return true
  return error instanceof UnexpectedAnswer ? transientStatuses.has(error.status) : transientTags.has(error._tag)
}

/** The wait before attempt `attempt` (2, 3 ...): doubled each time, and by up to a half shorter, so that clients do not come together. */
export const waitMs = (attempt: number, { firstWaitMs, maxWaitMs }: RetryPolicy, random: number): number =>
  Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(attempt - 2, 30)) * (1 - random / 2)

/** 0 if nothing is asked for. */
const askedMsOf = (error: ClientError | undefined): number => askedOf(error) ?? 0

/** How long to wait after failed attempt `attempt` (1, 2 ...); undefined: give up. */
export const retryInMs = (attempt: number, error: ClientError, policy: RetryPolicy, random: number): number | undefined => {
  if (attempt >= policy.attempts || !isTransient(error)) return undefined
  const askedMs = askedMsOf(error)
  if (askedMs > policy.maxRetryAfterMs) return undefined
  return Math.max(askedMs, waitMs(attempt + 1, policy, random))
}

/** How long to wait before a connection is opened again after `failures` in a row (1, 2 ...), the last of which was `error`, if it had one. */
export const reopenInMs = (failures: number, error: ClientError | undefined, policy: RetryPolicy, random: number): number =>
  Math.max(Math.min(askedMsOf(error), policy.maxRetryAfterMs), waitMs(failures + 1, policy, random))
