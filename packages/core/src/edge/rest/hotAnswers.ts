/** Remembered results that were answered before: the same request is given the same bytes again while nothing has changed. */
import { jsonHeaders } from "../transport/errorResponse.ts"
import type { ServiceRequest, ServiceResponse } from "../transport/seam.ts"

/** Now, in milliseconds, on both clocks. */
export interface BothClocks {
  /** The clock that never goes back: ages are counted on it. */
  readonly steadyMs: number
  /** The wall clock, since the Unix epoch: keys expire by it. */
  readonly wallMs: number
}

/** How long an answer stays right when nothing in the stores changes. */
export interface Remembered {
  /** When the result was made, on the steady clock; its age counts from here. */
  readonly sinceMs: number
  /** From here on the result is too old for its request, on the steady clock. */
  readonly untilMs: number
  /** From here on the key is expired, on the wall clock. */
  readonly keyUntilMs: number
}

/** What decides how long an answer stays right. */
export interface RememberedFacts {
  readonly nowMs: BothClocks["steadyMs"]
  readonly ageMs: number
  readonly apiKeyExpiresAtMs: number | null
  readonly maxAgeSeconds?: number | undefined
}

/** A summary shows the balance, in which holds end by time alone: such an answer is always made anew. */
export const rememberedFor = (
  { includeSummary = false }: { readonly includeSummary?: boolean | undefined },
  { ageMs, apiKeyExpiresAtMs, maxAgeSeconds, nowMs }: RememberedFacts
): { readonly remembered?: Remembered } => {
  if (includeSummary) return {}
  const sinceMs = nowMs - ageMs
  const tooOldMs = maxAgeSeconds === undefined ? Number.POSITIVE_INFINITY : sinceMs + maxAgeSeconds * 1000
  return { remembered: { sinceMs, untilMs: tooOldMs, keyUntilMs: apiKeyExpiresAtMs ?? Number.POSITIVE_INFINITY } }
}

interface HotAnswer extends Remembered {
  readonly stamp: string | number
  readonly status: number
  readonly body: string
}

/** From this age on an answer says in words that its result is not of now: a price that stands still is seen. */
const oldMs = 60_000

/** What `age` says where an age is not known or too large (RFC 9111, section 1.2.2). */
const mostAgeSeconds = 2 ** 31

/** The headers of an answer for which nothing ran; `cache-status` is that of RFC 9211. */
export const cacheHeaders = (ageMs: number): Readonly<Record<string, string>> => ({
  "x-sibyl-cache": "hit",
  age: String(Math.min(mostAgeSeconds, Math.max(0, Math.floor(ageMs / 1000)))),
  ...(ageMs > oldMs ? { "cache-status": "sibyl; hit; detail=\"older than a minute\"" } : {})
})

/** Of each generation; there are two. */
const maxAnswers = 2_048
/** Longer answers are made anew: all of them together must not fill the memory. */
const maxBodyChars = 65_536

/** Key and target, which together are the whole of a `GET`. A key has no line break. */
const nameOf = (authorization: string, url: string): string => `${authorization}\n${url}`

type State = string | number | undefined

/**
 * The answers in two generations: when the young one is full, it becomes the old one and the old one is forgotten. An
 * answer that is asked for again is young again, so the unused ones go, and a hit costs one look.
 */
export class HotAnswers {
  #young = new Map<string, HotAnswer>()
  #old = new Map<string, HotAnswer>()

  /** The answer to a request at a time and a state of the stores, with its age and a request id of its own. */
  find(
    request: ServiceRequest,
    now: { readonly clocks: () => BothClocks; readonly stamp: () => State; readonly requestId: () => string }
  ): ServiceResponse | undefined {
    if ((this.#young.size === 0 && this.#old.size === 0) || request.method !== "GET") return undefined
    const authorization = request.header("authorization")
    if (authorization === undefined) return undefined
    const name = nameOf(authorization, request.url)
    const young = this.#young.get(name)
    const answer = young ?? this.#old.get(name)
    if (answer === undefined) return undefined
    const { steadyMs, wallMs } = now.clocks()
    if (answer.stamp !== now.stamp() || steadyMs >= answer.untilMs || wallMs >= answer.keyUntilMs) {
      this.#young.delete(name)
      this.#old.delete(name)
      return undefined
    }
    if (young === undefined) this.#add(name, answer)
    const headers = { ...jsonHeaders(now.requestId()), ...cacheHeaders(steadyMs - answer.sinceMs) }
    return { status: answer.status, headers, body: answer.body }
  }

  /** Keeps an answer that was made while the stores had this stamp. */
  keep(
    request: ServiceRequest,
    stamp: State,
    { body, status }: Pick<HotAnswer, "body" | "status">,
    { keyUntilMs, sinceMs, untilMs }: Remembered
  ): void {
    const authorization = request.header("authorization")
    if (stamp === undefined || authorization === undefined || body.length > maxBodyChars) return
    this.#add(nameOf(authorization, request.url), { stamp, status, body, sinceMs, untilMs, keyUntilMs })
  }

  #add(name: string, answer: HotAnswer): void {
    this.#young.set(name, answer)
    if (this.#young.size < maxAnswers) return
    this.#old = this.#young
    this.#young = new Map()
  }
}
