/** Calls over HTTP: one attempt, and attempts until one succeeds or the policy ends them. */
import type { Auth } from "../ground/credentials.ts"
import { credentialOf } from "../ground/credentials.ts"
import { isClientError, NotReached, UnexpectedAnswer } from "../errors/clientError.ts"
import { errorOfAnswer } from "../errors/readError.ts"
import { jsonOf } from "../contract/json.ts"
import type { Platform } from "../ground/platform.ts"
import { type RetryPolicy, retryInMs } from "../ground/retryPolicy.ts"

/** Where, as whom and how calls are made. */
export interface Caller {
  readonly platform: Platform
  /** At least one. */
  readonly addresses: ReadonlyArray<string>
  readonly auth: Auth | undefined
  readonly retry: RetryPolicy
  /** How long an attempt may take. */
  readonly timeoutMs: number
}

/** One request. It is sent again if it fails, so it must be safe to be. */
export interface Call {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  /** Without a key. */
  readonly open?: boolean
  readonly query?: { readonly [name: string]: string | number | boolean | undefined }
  readonly body?: object
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
}

const addressOf = (base: string, { path, query = {} }: Call): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return given.length === 0 ? base + path : `${base}${path}?${new URLSearchParams(given)}`
}

const headersOf = async ({ auth }: Caller, { body, idempotencyKey, open }: Call): Promise<Record<string, string>> => ({
  ...(open === true ? {} : { authorization: `Bearer ${await credentialOf(auth)}` }),
  ...(body === undefined ? {} : { "content-type": "application/json" }),
  ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
})

/** A signal that ends after a time or with the caller's own; `stop` lets go of both. */
const within = ({ platform, timeoutMs }: Caller, signal: AbortSignal | undefined) => {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  const cancel = platform.after(timeoutMs, end)
  signal?.addEventListener("abort", end)
  return {
    signal: ended.signal,
    stop: () => {
      cancel()
      signal?.removeEventListener("abort", end)
    }
  }
}

/** One attempt: the parsed body of an answer of 200 to 299. */
const attempt = async (caller: Caller, base: string, call: Call): Promise<unknown> => {
  const headers = await headersOf(caller, call)
  const bound = within(caller, call.signal)
  try {
    const answer = await caller.platform.fetch(addressOf(base, call), {
      method: call.method,
      headers,
      signal: bound.signal,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) })
    })
    const body = jsonOf(await answer.text())
    if (!answer.ok) throw errorOfAnswer(answer.status, body, answer.headers)
    if (body === undefined) throw new UnexpectedAnswer(`${base} answers, but not with JSON`, answer.status)
    return body
  } catch (error) {
    if (isClientError(error)) throw error
    throw new NotReached(bound.signal.aborted ? `${base} did not answer within ${caller.timeoutMs} ms` : `${base} cannot be reached`, error)
  } finally {
    bound.stop()
  }
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

/**
 * The body of the answer. Attempts go to the addresses in turn, and wait as the policy says. Rejects with a {@link ClientError}, or with the
 * reason of the signal.
 */
export const callService = async (caller: Caller, call: Call): Promise<unknown> => {
  const { addresses, platform, retry } = caller
  for (let count = 1; ; count += 1) {
    call.signal?.throwIfAborted()
    try {
      return await attempt(caller, addresses[(count - 1) % addresses.length] as string, call)
    } catch (error) {
      call.signal?.throwIfAborted()
      const inMs = isClientError(error) ? retryInMs(count, error, retry, platform.random()) : undefined
      if (inMs === undefined) throw error
      await pause(platform, inMs, call.signal)
    }
  }
}
