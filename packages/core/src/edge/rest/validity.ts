/** How long an answer that was made from a stored result stays right, and the headers that tell its age. */
import type { ServiceResponse } from "../transport/seam.ts"

/** How long an answer stays right when nothing in the stores changes. */
export interface Validity {
  /** When the result was made, on the steady clock; its age counts from here. */
  readonly sinceMs: number
  /** From here on the result is too old for its request, on the steady clock. */
  readonly untilMs: number
  /** From here on the key is expired, on the wall clock. */
  readonly keyUntilMs: number
}

/** An answer on its way out of the service. One with a validity may be given again. */
export interface DatedResponse extends ServiceResponse {
  readonly validity?: Validity
}

/** What decides how long an answer stays right. */
export interface ValidityFacts {
  /** Now, on the clock that never goes back. */
  readonly nowMs: number
  readonly ageMs: number
  readonly apiKeyExpiresAtMs: number | null
  readonly maxAgeSeconds?: number | undefined
}

/** The validity of an answer. One with a summary has none: it shows the balance, in which holds end by time alone. */
export const validityOf = (
  { includeSummary = false }: { readonly includeSummary?: boolean | undefined },
  { ageMs, apiKeyExpiresAtMs, maxAgeSeconds, nowMs }: ValidityFacts
): { readonly validity?: Validity } => {
  if (includeSummary) return {}
  const sinceMs = nowMs - ageMs
  const tooOldMs = maxAgeSeconds === undefined ? Number.POSITIVE_INFINITY : sinceMs + maxAgeSeconds * 1000
  return { validity: { sinceMs, untilMs: tooOldMs, keyUntilMs: apiKeyExpiresAtMs ?? Number.POSITIVE_INFINITY } }
}

/** From this age on an answer carries `cache-status`, so that a client notices a price that no longer changes. */
const oldMs = 60_000

/** What `age` says where an age is not known or too large (RFC 9111, section 1.2.2). */
const mostAgeSeconds = 2 ** 31

/** The headers of an answer for which nothing ran; `cache-status` is that of RFC 9211. */
export const storedResultHeaders = (ageMs: number): Readonly<Record<string, string>> => ({
  "x-sibyl-cache": "hit",
  age: String(Math.min(mostAgeSeconds, Math.max(0, Math.floor(ageMs / 1000)))),
  ...(ageMs > oldMs ? { "cache-status": 'sibyl; hit; detail="older than a minute"' } : {})
})
