/** Decides one hop of an outbound request: where a URL leads, whether it is allowed, and where a redirect goes next. */
import { allowsHost } from "@sibyl/core/internal"
import { Either } from "effect"
import { isPublicAddress, literalAddress } from "./addressPolicy.ts"
import { acrossOrigins, type HeaderMap, withoutBodyHeaders } from "./headerPolicy.ts"
import { type OutboundPolicy, portOf } from "./outboundOptions.ts"

/** Longer URLs are refused, in requests of programs and in redirects. */
export const maxUrlChars = 16_384

/** Redirects followed before the request is given up. */
export const maxRedirects = 10

/** The text for names without addresses and for names with private ones, so that a program cannot map a network. */
export const noPublicAddress = "outbound request refused: the host has no public address"

/** The parts of a request that a redirect may change. */
export interface Message {
  readonly url: string
  readonly method: string
  readonly headers: HeaderMap
  readonly body: Uint8Array
}

/** Where one hop connects to. */
export interface Hop {
  readonly url: URL
  readonly secure: boolean
  /** A name or an address, without brackets. */
  readonly hostname: string
  readonly port: number
  /** The operator's override: its address is not checked. */
  readonly trusted: boolean
  readonly operatorHeaders: ReadonlyArray<readonly [name: string, value: string]>
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Whether a method is allowed. `TRACE` would echo the operator's headers to the program, `CONNECT` opens a tunnel. */
export const isAllowedMethod = (method: string): boolean => methods.has(method)

/**
 * Where a URL leads under the policy, or why it is refused. `allowedHosts` are the project's own, if it has a list. A name's addresses are
 * checked when it is resolved.
 */
export const planHop = (policy: OutboundPolicy, target: string, allowedHosts?: ReadonlyArray<string>): Either.Either<Hop, string> => {
  if (target.length > maxUrlChars) {
    return Either.left(`outbound request refused: the URL is longer than ${maxUrlChars} characters`)
  }
  if (!URL.canParse(target)) return Either.left("outbound request refused: the URL is not valid")
  const url = new URL(target)
  url.hash = ""
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return Either.left("outbound request refused: only http and https URLs are allowed")
  }
  if (url.username !== "" || url.password !== "") {
    return Either.left("outbound request refused: the URL carries credentials")
  }
  const hostname = url.hostname.replace(/\.$/, "")
  if (!policy.allowsHost(hostname)) return Either.left("outbound request refused: the host is not on the allow-list")
  if (allowedHosts !== undefined && !allowsHost(allowedHosts, hostname)) {
    return Either.left("outbound request refused: the host is not on the project's allow-list")
  }

  const authority = url.port === "" ? hostname : `${hostname}:${url.port}`
  const override = policy.overrides.get(authority)
  const operatorHeaders = policy.hostHeaders.get(authority) ?? []
  if (override !== undefined) {
    const target = literalAddress(override.hostname) ?? override.hostname
    return Either.right({ url, trusted: true, operatorHeaders, ...override, hostname: target })
  }
  const literal = literalAddress(hostname)
  if (literal !== undefined && !isPublicAddress(literal)) return Either.left(noPublicAddress)
  const secure = url.protocol === "https:"
  return Either.right({
    url,
    secure,
    hostname: literal ?? hostname,
    port: portOf(url),
    trusted: false,
    operatorHeaders: secure ? operatorHeaders : []
  })
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The target of a redirect, `undefined` if the response is final. */
export const redirectTarget = (status: number, location: string | undefined): string | undefined =>
  redirects.has(status) ? location : undefined

/**
 * The request that follows a redirect (RFC 9110 section 15.4, with fetch's method rules), or why it is not followed. An https request never
 * falls back to http, so that prices cannot be read on the network path.
 */
export const followRedirect = (message: Message, from: URL, status: number, location: string): Either.Either<Message, string> => {
  if (!URL.canParse(location, from)) return Either.left("outbound request refused: a redirect leads to an invalid URL")
  const to = new URL(location, from)
  if (from.protocol === "https:" && to.protocol === "http:") {
    return Either.left("outbound request refused: a redirect leads from https to http")
  }
  const becomesGet = status === 303 ? message.method !== "HEAD" : status < 303 && message.method === "POST"
  const headers = becomesGet ? withoutBodyHeaders(message.headers) : message.headers
  return Either.right({
    url: to.href,
    method: becomesGet ? "GET" : message.method,
    headers: to.origin === from.origin ? headers : acrossOrigins(headers),
    body: becomesGet ? new Uint8Array() : message.body
  })
}
