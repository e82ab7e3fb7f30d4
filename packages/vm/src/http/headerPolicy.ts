/** Which headers of a program are sent, which are added, and which a redirect to another origin keeps. */
import { Either } from "effect"

/** Header names in lower case with their values, each name once. */
export type HeaderMap = ReadonlyMap<string, string>

/** Outgoing headers of a program above this many characters are refused. */
export const maxRequestHeaderChars = 32_768

/** Framing, routing and negotiation belong to the connection: a program's values for them are ignored. */
const ignored: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** The only headers that are kept in a redirect to another origin; any other may be a credential. */
const carriedAcrossOrigins: ReadonlySet<string> = new Set(["accept", "accept-language", "content-language", "content-type", "user-agent"])

// RFC 9110 sections 5.1 and 5.5: a name is a token, a value has no control characters except tab.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** The headers of a program that are sent: checked, lower-cased, without the ignored ones; of equal names the last applies. */
export const programHeaders = (headers: ReadonlyArray<readonly [name: string, value: string]>): Either.Either<HeaderMap, string> => {
  const kept = new Map<string, string>()
  let chars = 0
  for (const [name, value] of headers) {
    if (!token.test(name)) return Either.left("a header name is not a token")
    if (!fieldValue.test(value)) {
      return Either.left(`the value of header ${name.slice(0, 64)} has a forbidden character`)
    }
    chars += name.length + value.length
    if (chars > maxRequestHeaderChars) return Either.left(`the headers are larger than ${maxRequestHeaderChars} bytes`)
    if (!ignored.has(name.toLowerCase())) kept.set(name.toLowerCase(), value.trim())
  }
  return Either.right(kept)
}

/** Whether an upstream may take every later request on the same connection for this sender's (RFC 4559, section 6). */
export const bindsConnection = (headers: HeaderMap): boolean => /^(negotiate|ntlm)\b/i.test(headers.get("authorization") ?? "")

/** The headers that remain after a redirect to another origin. */
export const acrossOrigins = (headers: HeaderMap): HeaderMap => new Map([...headers].filter(([name]) => carriedAcrossOrigins.has(name)))

/** The headers that remain after a redirect that drops the body. */
export const withoutBodyHeaders = (headers: HeaderMap): HeaderMap => new Map([...headers].filter(([name]) => !name.startsWith("content-")))

/**
 * The headers of one exchange, by increasing precedence: ours, the program's, the operator's, the framing. The answer is never compressed,
 * so that its bytes can be counted on arrival.
 */
export const outgoingHeaders = (
  program: HeaderMap,
  operator: ReadonlyArray<readonly [name: string, value: string]>,
  host: string,
  contentLength: number | undefined
): Record<string, string> =>
  Object.fromEntries<string>([
    ["accept", "*/*"],
    ["user-agent", "sibyl"],
    ...program,
    ...operator,
    ["accept-encoding", "identity"],
    ["host", host],
    ...(contentLength === undefined ? [] : [["content-length", String(contentLength)] as const])
  ])
