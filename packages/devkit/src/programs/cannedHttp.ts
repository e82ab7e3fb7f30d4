/** Answers of a test instead of the network, and how a program's requests reach them. */
import { type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { fromUtf8 } from "@sibyl/core/internal"

/** A program's request. */
export interface ProgramRequest {
  readonly url: string
  /** Upper case. */
  readonly method: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The result of a request: an answer, or the reason why there is none. */
export type ProgramAnswer =
  | {
      /** Default 200. */
      readonly status?: number
      /** Default: JSON's content type if the body is an object or a list, else none. */
      readonly headers?: Readonly<Record<string, string>>
      /** Text, bytes, or an object or list that is sent as compact JSON. Default: empty. */
      readonly body?: string | Uint8Array | object
    }
  | { readonly failure: string }

/** Answers a program's requests. `undefined`: there is no answer, the fetch fails. */
export type AnswerRequest = (request: ProgramRequest) => ProgramAnswer | undefined | Promise<ProgramAnswer | undefined>

/** The request as a test sees it. */
export const programRequestOf = ({ body, headers, method, url }: OutboundRequest): ProgramRequest => ({
  url,
  method,
  headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
  body
})

const rejected = (message: string): OutboundResponse => ({ kind: "rejected", message, timedOut: false })

const bytesOf = (body: string | Uint8Array | object): Uint8Array => {
  if (body instanceof Uint8Array) return body
  return fromUtf8(typeof body === "string" ? body : JSON.stringify(body))
}

/** A test's answer that is none. From JavaScript it may be anything. */
const unfitAnswer = (answer: ProgramAnswer): string | undefined => {
  if (typeof answer !== "object" || answer === null) return `http must answer with an object or undefined, not ${JSON.stringify(answer)}`
  if ("failure" in answer) return typeof answer.failure === "string" ? undefined : "failure must be a text"
  const { body = "", headers = {}, status = 200 } = answer
  if (!Number.isInteger(status) || status < 100 || status > 599) return "status must be a whole number from 100 to 599"
  if (typeof headers !== "object" || !Object.values(headers).every((value) => typeof value === "string"))
    return "headers must be texts by name"
  return typeof body === "string" || (typeof body === "object" && body !== null)
    ? undefined
    : "body must be a text, bytes, an object or a list"
}

/** The answer as the VM gets it, with the same limits as a real one. Throws if it is no answer. */
export const outboundResponseOf = (request: OutboundRequest, answer: ProgramAnswer | undefined): OutboundResponse => {
  const unfit = answer === undefined ? undefined : unfitAnswer(answer)
  if (unfit !== undefined) throw new TypeError(`the answer to ${request.method} ${request.url}: ${unfit}`)
  if (answer === undefined) return rejected(`no answer is recorded for ${request.method} ${request.url}`)
  if ("failure" in answer) return rejected(answer.failure)
  const { body = "", status = 200 } = answer
  const isJson = typeof body !== "string" && !(body instanceof Uint8Array)
  const headers = answer.headers ?? (isJson ? { "content-type": "application/json" } : {})
  const bytes = bytesOf(body)
  if (bytes.length > request.maxResponseBytes) {
    return rejected(`outbound request failed: the answer is larger than ${request.maxResponseBytes} bytes`)
  }
  const { url } = request
  return { kind: "answered", status, headers: Object.entries(headers), bytes, url, contentLength: bytes.length }
}
