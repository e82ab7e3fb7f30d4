/** A cache around `fetch`: the same `GET` is given the same bytes again while nothing in the stores has changed. */
import { jsonHeaders } from "../transport/errorResponse.ts"
import type { Service, ServiceRequest, ServiceResponse } from "../transport/seam.ts"
import { type DatedResponse, storedResultHeaders, type Validity } from "./validity.ts"

/** Now, in milliseconds, on both clocks. */
export interface BothClocks {
  /** The clock that never goes back: ages are counted on it. */
  readonly steadyMs: number
  /** The wall clock, since the Unix epoch: keys expire by it. */
  readonly wallMs: number
}

/** What the cache asks when it gives an answer again. */
export interface CacheFacts {
  readonly clocks: () => BothClocks
  /** Another value after every change of the stores; `undefined` when they cannot tell: then nothing is kept. */
  readonly version: () => string | number | undefined
  readonly requestId: () => string
}

interface CachedAnswer extends Validity {
  readonly version: string | number
  readonly status: number
  readonly body: string
}

/** Of each generation; there are two. */
const maxAnswers = 2_048
/** Longer answers are made anew: all of them together must not fill the memory. */
const maxBodyChars = 65_536

/** Key and target, which together are the whole of a `GET`; a key has no line break. `undefined` for what is never kept. */
const nameOf = (request: ServiceRequest): string | undefined => {
  if (request.method !== "GET") return undefined
  try {
    const authorization = request.header("authorization")
    return authorization === undefined ? undefined : `${authorization}\n${request.url}`
  } catch {
    // Headers that cannot be read are answered further down.
    return undefined
  }
}

/**
 * The answers in two generations: when the young one is full, it becomes the old one and the old one is forgotten. An
 * answer that is asked for again is young again, so the unused ones go, and a hit costs one look.
 */
export class ResponseCache {
  readonly #facts: CacheFacts
  #young = new Map<string, CachedAnswer>()
  #old = new Map<string, CachedAnswer>()

  constructor(facts: CacheFacts) {
    this.#facts = facts
  }

  /** `fetch`, asked only for what is not kept. What it answers with a validity is kept until that ends or the stores change. */
  around(fetch: (request: ServiceRequest) => Promise<DatedResponse | undefined>): Service["fetch"] {
    return async (request) => {
      const name = nameOf(request)
      if (name === undefined) return withoutValidity(await fetch(request))
      const again = this.#find(name)
      if (again !== undefined) return again
      // Before the answer is made: what changes meanwhile makes it old.
      const version = this.#facts.version()
      const response = await fetch(request)
      if (response?.validity !== undefined && version !== undefined) this.#keep(name, version, response, response.validity)
      return withoutValidity(response)
    }
  }

  /** The answer of this name, with its age of now and a request id of its own. */
  #find(name: string): ServiceResponse | undefined {
    const young = this.#young.get(name)
    const answer = young ?? this.#old.get(name)
    if (answer === undefined) return undefined
    const { steadyMs, wallMs } = this.#facts.clocks()
    if (answer.version !== this.#facts.version() || steadyMs >= answer.untilMs || wallMs >= answer.keyUntilMs) {
      this.#young.delete(name)
      this.#old.delete(name)
      return undefined
    }
    if (young === undefined) this.#add(name, answer)
    const headers = { ...jsonHeaders(this.#facts.requestId()), ...storedResultHeaders(steadyMs - answer.sinceMs) }
    return { status: answer.status, headers, body: answer.body }
  }

  #keep(name: string, version: string | number, { body, status }: ServiceResponse, validity: Validity): void {
    if (typeof body === "string" && body.length <= maxBodyChars) this.#add(name, { version, status, body, ...validity })
  }

  #add(name: string, answer: CachedAnswer): void {
    this.#young.set(name, answer)
    if (this.#young.size < maxAnswers) return
    this.#old = this.#young
    this.#young = new Map()
  }
}

/** What leaves the service: how long an answer stays valid is not part of it. */
const withoutValidity = (response: DatedResponse | undefined): ServiceResponse | undefined => {
  if (response?.validity === undefined) return response
  const { body, headers, status } = response
  return { status, headers, body }
}
