/** One HTTP request of an audit, and its response. */
import { Unanswered } from "../unanswered.ts"
import type { Target } from "./target.ts"

/** A request, with the target's own key by default. */
export interface Call {
  readonly method?: string
  /** Path, with its query if the exact spelling matters. */
  readonly path: string
  /** Encoded and added to the path. */
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent unchanged. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Another key; `null` sends none. */
  readonly key?: string | null
}

/** The response. `json` is `undefined` if the body is not JSON. */
export interface Answer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly text: string
  readonly json: unknown
  /** The address that answered, where the one that was asked redirected to it. */
  readonly redirectedTo?: string
}

/** The longest wait for one response: twice what two phases may take. */
const patienceMs = 90_000

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A query as text, every value percent-encoded. */
export const queryText = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")

const addressOf = (target: Target, { path, query }: Call): string => {
  const search = queryText(query ?? {})
  const joint = search === "" ? "" : path.includes("?") ? "&" : "?"
  return `${target.baseUrl}${path}${joint}${search}`
}

/** More than any answer has: reports of 96,000 bytes, 100 to a page, in hex. */
const mostBytes = 64 * 1_048_576

/** The body as text. Rejects where it has no end. */
const textOf = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let [text, bytes] = ["", 0]
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) throw new Error(`the body has more than ${mostBytes} bytes, or no end`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** A request that stalled, by its name: a report would not say which one it was. Any other error stays as it is. */
const unanswered = (what: string, cause: unknown): never => {
  if (cause instanceof DOMException && cause.name === "TimeoutError")
    throw new Unanswered(`${what} had no answer within ${patienceMs} ms`, { cause })
  throw cause
}

/** Sends one request. Rejects if the connection fails or there is no response. */
export const send = async (target: Target, call: Call): Promise<Answer> => {
  const headers = new Headers(call.headers)
  const key = call.key === undefined ? target.apiKey : call.key
  if (key !== null && !headers.has("authorization")) headers.set("authorization", `Bearer ${key}`)
  if (call.json !== undefined) headers.set("content-type", "application/json")
  const body = call.json === undefined ? call.text : JSON.stringify(call.json)
  const request = new Request(addressOf(target, call), {
    method: call.method ?? (body === undefined ? "GET" : "POST"),
    headers,
    signal: AbortSignal.timeout(patienceMs),
    ...(body === undefined ? {} : { body })
  })
  const given = call.headers === undefined ? "" : ` ${JSON.stringify(call.headers)}`
  target.trace?.(`> ${request.method} ${request.url}${given}${body === undefined ? "" : ` ${body}`}`)
  const refused = (cause: unknown) => unanswered(`${request.method} ${call.path}`, cause)
  const response = await (target.fetch ?? fetch)(request).catch(refused)
  const text = await textOf(response).catch(refused)
  target.trace?.(`< ${response.status}${response.redirected ? ` (redirected to ${response.url})` : ""} ${text}`)
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    text,
    json: parsed(text),
    ...(response.redirected ? { redirectedTo: response.url } : {})
  }
}

/** `GET /execute` of one of the kit's programs, with further parameters. */
export const execute = (
  target: Target,
  program: keyof Target["programs"],
  query: Readonly<Record<string, string>> = {},
  key?: string
): Promise<Answer> =>
  send(target, {
    path: "/execute",
    query: { execProgramId: target.programs[program], ...query },
    ...(key === undefined ? {} : { key })
  })

/** `POST /execute` of one of the kit's programs, with further members of the body and a query. */
export const executePost = (
  target: Target,
  program: keyof Target["programs"],
  body: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, string>> = {}
): Promise<Answer> => send(target, { path: "/execute", query, json: { execProgramId: target.programs[program], ...body } })

/** A member of a JSON value at any depth; `undefined` if there is none. */
export const at = (value: unknown, ...names: ReadonlyArray<string>): unknown => {
  let member = value
  for (const name of names) {
    member =
      typeof member === "object" && member !== null && Object.hasOwn(member, name)
        ? (member as Readonly<Record<string, unknown>>)[name]
        : undefined
  }
  return member
}

/** The beginning of a body, for messages. */
export const begunWith = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

/** The drId of an answer. */
export const drIdOf = (answer: Answer): unknown => at(answer.json, "data", "dataResult", "drId")

/** Inputs that no request had before, so that no result is stored for them. */
export const freshInputs = (): string => `audit ${globalThis.crypto.randomUUID()}`

/** The hex of a text's UTF-8 bytes. */
export const hexOf = (text: string): string => Buffer.from(text, "utf8").toString("hex")
