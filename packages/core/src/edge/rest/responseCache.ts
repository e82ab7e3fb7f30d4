/** A cache around `fetch`: while nothing in the stores has changed, the same `GET` gets the same bytes again. */
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import type { StoreVersion } from "../../ports/freshness.ts"
import { jsonHeaders } from "../transport/errorResponse.ts"
import type { AnswerRequest } from "../transport/answering.ts"
import type { ServiceRequest, ServiceResponse } from "../transport/seam.ts"
import { type DatedResponse, storedResultHeaders, type Validity } from "./validity.ts"

/** Now, in milliseconds, on both clocks. */
export interface BothClocks {
  /** The monotonic clock, used for ages. */
  readonly steadyMs: number
  /** The wall clock since the Unix epoch, used for the expiry of keys. */
  readonly wallMs: number
}

/** What the cache needs to know before it serves an answer again. */
export interface CacheFacts {
  readonly clocks: () => BothClocks
  /** Differs after every change of the stores. `undefined` when they cannot tell; then nothing is cached. */
  readonly version: () => StoreVersion
  readonly requestId: () => string
}

interface CachedAnswer extends Validity {
  readonly version: string | number
  readonly status: number
  readonly body: string
}

/** Entries per generation; there are two generations. */
const maxAnswers = 2_048
/** Longer answers are not cached, which bounds the memory of the cache. */
const maxBodyChars = 65_536

/**
 * API key and target, which together identify a `GET` (a key contains no line break). `undefined` for requests that are never cached: each
 * request with a ticket takes one of its uses.
 */
const nameOf = (request: ServiceRequest): string | undefined => {
  if (request.method !== "GET") return undefined
  try {
    const authorization = request.header("authorization")
    return authorization === undefined || ticketForm.test(authorization) ? undefined : `${authorization}\n${request.url}`
  } catch {
    // Unreadable headers are reported by the request itself.
    return undefined
  }
}

const ticketForm = /^Bearer +sibylt_/i

type FetchDated = (request: ServiceRequest) => Promise<DatedResponse | undefined>

/** The answers that were given lately. */
export class ResponseCache {
  readonly #facts: CacheFacts
  readonly #answers = new RecentMap<CachedAnswer>(maxAnswers)

  constructor(facts: CacheFacts) {
    this.#facts = facts
  }

  /** Wraps `fetch`, which is called only on a miss. An answer with a validity is cached until that ends or the stores change. */
  around(fetch: FetchDated): AnswerRequest {
    return (request) => {
      const name = nameOf(request)
      return (name === undefined ? undefined : this.#find(name)) ?? this.#anew(fetch, request, name)
    }
  }

  async #anew(fetch: FetchDated, request: ServiceRequest, name: string | undefined): Promise<ServiceResponse | undefined> {
    // Read before the answer is made: a change in between must invalidate it.
    const version = name === undefined ? undefined : this.#facts.version()
    const response = await fetch(request)
    if (name !== undefined && version !== undefined && response?.validity !== undefined)
      this.#keep(name, version, response, response.validity)
    return withoutValidity(response)
  }

  /** The cached answer of this name, with its current age and a new request id. */
  #find(name: string): ServiceResponse | undefined {
    const answer = this.#answers.get(name)
    if (answer === undefined) return undefined
    const { steadyMs, wallMs } = this.#facts.clocks()
    if (answer.version !== this.#facts.version() || steadyMs >= answer.untilMs || wallMs >= answer.keyUntilMs) {
      this.#answers.delete(name)
      return undefined
    }
    const headers = jsonHeaders(this.#facts.requestId(), storedResultHeaders(steadyMs - answer.sinceMs))
    return { status: answer.status, headers, body: answer.body }
  }

  #keep(name: string, version: string | number, { body, status }: ServiceResponse, validity: Validity): void {
    if (typeof body === "string" && body.length <= maxBodyChars) this.#answers.set(name, { version, status, body, ...validity })
  }
}

/** The answer without its validity, which is internal. */
const withoutValidity = (response: DatedResponse | undefined): ServiceResponse | undefined => {
  if (response?.validity === undefined) return response
  const { body, headers, status } = response
  return { status, headers, body }
}
