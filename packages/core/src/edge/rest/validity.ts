/** How long an answer made from a stored result stays valid, and the headers that state its age. */
import type { ErrorResponse } from "../transport/errorResponse.ts"
import type { ServiceResponse } from "../transport/seam.ts"

/** How long an answer stays valid while nothing in the stores changes. */
export interface Validity {
  /** When the result was made, on the steady clock; its age counts from here. */
  readonly sinceMs: number
  /** When the result becomes too old for its request, on the steady clock. */
  readonly untilMs: number
  /** When the key expires, on the wall clock. */
  readonly keyUntilMs: number
}

/** An answer leaving the service: one with a validity may be served again from the cache, one with a failure tells an error. */
export interface DatedResponse extends ServiceResponse, Partial<Pick<ErrorResponse, "failure">> {
  readonly validity?: Validity
}

/** What determines how long an answer stays valid. */
export interface ValidityFacts {
  /** Now, on the monotonic clock. */
  readonly nowMs: number
  readonly ageMs: number
  readonly apiKeyExpiresAtMs: number | null
  readonly maxAgeSeconds?: number | undefined
}

/** The validity of an answer. An answer with a summary has none: it shows the balance, which changes by itself when holds expire. */
export const validityOf = (
  { includeSummary = false }: { readonly includeSummary?: boolean | undefined },
  { ageMs, apiKeyExpiresAtMs, maxAgeSeconds, nowMs }: ValidityFacts
): { readonly validity?: Validity } => {
  if (includeSummary) return {}
  const sinceMs = nowMs - ageMs
  const tooOldMs = maxAgeSeconds === undefined ? Number.POSITIVE_INFINITY : sinceMs + maxAgeSeconds * 1000
  return { validity: { sinceMs, untilMs: tooOldMs, keyUntilMs: apiKeyExpiresAtMs ?? Number.POSITIVE_INFINITY } }
}

/** Answers at least this old carry `cache-status`, so that a client notices a price that has stopped changing. */
const oldMs = 60_000

/** The value of `age` when the age is unknown or too large (RFC 9111, section 1.2.2). */
const mostAgeSeconds = 2 ** 31

/** The headers of an answer for which nothing ran; `cache-status` follows RFC 9211. */
export const storedResultHeaders = (ageMs: number): Readonly<Record<string, string>> => ({
  "x-sibyl-cache": "hit",
  age: String(Math.min(mostAgeSeconds, Math.max(0, Math.floor(ageMs / 1000)))),
  ...(ageMs > oldMs ? { "cache-status": 'sibyl; hit; detail="older than a minute"' } : {})
})
