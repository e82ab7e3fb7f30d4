/** A server that exposes the mirror service through an adapter, as the adapter audits see it. */
import { patienceMs } from "../wire/rawConnection.ts"

/** The location of the mirror service. */
export interface AdapterTarget {
  /** Address and path prefix, without a trailing slash: `http://127.0.0.1:8080/oracle`. */
  readonly baseUrl: string
}

/** The response of the mirror service: status, headers, and the JSON of its body. */
export interface MirrorAnswer {
  readonly status: number
  readonly headers: Headers
  readonly json: Readonly<Record<string, unknown>>
}

/** Sends one request; a body that is not JSON is read as an empty object. */
export const ask = async (target: AdapterTarget, path: string, init: RequestInit = {}): Promise<MirrorAnswer> => {
  const response = await fetch(`${target.baseUrl}${path}`, { ...init, signal: AbortSignal.timeout(6 * patienceMs) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text.startsWith("{") ? JSON.parse(text) : {} }
}

/** Polls until the request of that name has ended, or until the time limit: then `unknown`. */
export const outcomeOf = async (target: AdapterTarget, name: string): Promise<unknown> => {
  for (let left = patienceMs; left > 0; left -= 50) {
    const { outcome } = (await ask(target, `/outcome?name=${name}`)).json
    if (outcome !== "unknown") return outcome
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return "unknown"
}

/** A unique request name. */
export const freshName = (): string => globalThis.crypto.randomUUID()
