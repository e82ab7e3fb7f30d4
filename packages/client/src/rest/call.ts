/** Calls over HTTP: one attempt, and attempts until one succeeds or the policy ends them. */
import type { Auth } from "../ground/credentials.ts"
import { credentialOf } from "../ground/credentials.ts"
import { InvalidOption, isClientError, NotReached, UnexpectedAnswer } from "../errors/clientError.ts"
import { errorOfAnswer } from "../errors/readError.ts"
import type { ServiceTag } from "../errors/serviceTag.ts"
import { jsonOf } from "../contract/json.ts"
import type { Fetch, Platform } from "../ground/platform.ts"
import { jsonCopy } from "../ground/jsonCopy.ts"
import { isTransient, type RetryPolicy, retryInMs } from "../ground/retryPolicy.ts"
import { bounded } from "./bounded.ts"
import { brokenFetch } from "./brokenFetch.ts"

/** Where, as whom and how calls are made. */
export interface Caller {
  readonly platform: Platform
  /** At least one. */
  readonly addresses: ReadonlyArray<string>
  /** Which address is asked next, counted on without end: where one fails, also the calls after this one go on to the next. */
  readonly turn: { at: number }
  readonly auth: Auth | undefined
  readonly retry: RetryPolicy
  /** How long an attempt may take. */
  readonly timeoutMs: number
}

/** One request. It is sent again if it fails, so it must be safe to be, or is sent once. */
export interface Call {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  /** Without a key. */
  readonly open?: boolean
  readonly query?: { readonly [name: string]: string | number | boolean | undefined }
  readonly body?: object
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** It is not tried again. */
  readonly isOnce?: boolean
  /** The refusal that tells a further attempt that an earlier one has succeeded. */
  readonly doneBy?: ServiceTag
}

/** What each attempt sends. It is made once, before the first one. */
interface Sendable {
  readonly target: string
  readonly body: string | undefined
}

/** Throws {@link InvalidOption} for what cannot be sent: no attempt would change that. */
const sendableOf = ({ body, path, query = {} }: Call): Sendable => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const wrong = given.find(([, value]) => ["object", "function", "symbol"].includes(typeof value))
  if (wrong !== undefined) throw new InvalidOption(`request.${wrong[0]}`, "must be a text, a number, or true or false")
  const target = given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
  return { target, body: body === undefined ? undefined : JSON.stringify(jsonCopy("request", body)) }
}

const headersOf = async ({ auth }: Caller, { body, idempotencyKey, open }: Call): Promise<Record<string, string>> => ({
  ...(open === true ? {} : { authorization: `Bearer ${await credentialOf(auth)}` }),
  ...(body === undefined ? {} : { "content-type": "application/json" }),
  ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
})

/** A redirect to another origin, such as from http to https, drops the key. */
const isWithoutKey = ({ redirected, status }: Awaited<ReturnType<Fetch>>): boolean => redirected === true && status === 401

const exchange = async (
  { platform }: Caller,
  base: string,
  { body, target }: Sendable,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly signal: AbortSignal }
): Promise<unknown> => {
  let failed = (error: unknown): NotReached => brokenFetch(base, error, platform.pageOrigin)
  try {
    const answer = await platform.fetch(base + target, { ...init, ...(body === undefined ? {} : { body }) })
    failed = (error) => new NotReached(`${base} broke its answer off`, error)
    const parsed = jsonOf(await answer.text())
    if (isWithoutKey(answer)) throw new UnexpectedAnswer(`${base} redirects to ${answer.url}, without the key: give that address`, 401)
    if (!answer.ok) throw errorOfAnswer(answer.status, parsed, answer.headers)
    if (parsed === undefined) throw new UnexpectedAnswer(`${base} answers, but not with JSON`, answer.status)
    return parsed
  } catch (error) {
    throw isClientError(error) ? error : failed(error)
  }
}

/** One attempt: the parsed body of an answer of 200 to 299. Its time and its signal hold from the moment the credential is asked for. */
const attempt = (caller: Caller, base: string, call: Call, sendable: Sendable): Promise<unknown> => {
  const { platform, timeoutMs } = caller
  let late = { what: "auth gave no key or ticket", mayBeDone: false }
  return bounded({ platform, timeoutMs, signal: call.signal, late: () => late }, async (signal) => {
    const headers = await headersOf(caller, call)
    signal.throwIfAborted()
    late = { what: `${base} did not answer`, mayBeDone: true }
    return exchange(caller, base, sendable, { method: call.method, headers, signal })
  })
}

/** Resolves after a time; rejects with the signal's reason if that comes first. */
const pause = ({ after }: Platform, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel()
      reject(signal?.reason as Error)
    }
    const cancel = after(ms, () => {
      signal?.removeEventListener("abort", stop)
      resolve()
    })
    signal?.addEventListener("abort", stop, { once: true })
  })

/** What other calls have moved on from meanwhile is not left twice. */
const leaveAddress = ({ addresses, turn }: Caller, failed: number): void => {
  if (addresses.length > 1 && turn.at === failed) turn.at += 1
}

/** Whether the service may have done what it gave no answer of its own to. */
const mayBeDoneBy = (error: unknown): boolean =>
  error instanceof NotReached ? error.mayBeDone : error instanceof UnexpectedAnswer && isTransient(error)

/** That the last attempt was not sent says nothing of those before it. */
const withEarlier = (error: unknown, mayBeDone: boolean): unknown =>
  mayBeDone && error instanceof NotReached && !error.mayBeDone
    ? new NotReached(`${error.message}; an earlier attempt was sent, and may have been carried out`, error.cause)
    : error

/**
 * The body of the answer. Attempts go to the addresses in turn, from the one that answered last, and wait as the policy says. Rejects with a {@link ClientError}, or with the
 * reason of the signal.
 */
export const callService = async (caller: Caller, call: Call): Promise<unknown> => {
  const { addresses, platform, retry, turn } = caller
  const sendable = sendableOf(call)
  let mayBeDone = false
  for (let count = 1; ; count += 1) {
    call.signal?.throwIfAborted()
    const { at } = turn
    try {
      return await attempt(caller, addresses[at % addresses.length] as string, call, sendable)
    } catch (error) {
      call.signal?.throwIfAborted()
      if (isClientError(error) && isTransient(error)) leaveAddress(caller, at)
      // The answer to an earlier attempt was lost, and what that one asked for is done.
      if (count > 1 && isClientError(error) && error._tag === call.doneBy) return undefined
      const inMs = isClientError(error) && call.isOnce !== true ? retryInMs(count, error, retry, platform.random()) : undefined
      if (inMs === undefined) throw withEarlier(error, mayBeDone)
      mayBeDone ||= mayBeDoneBy(error)
      await pause(platform, inMs, call.signal)
    }
  }
}
