/** One HTTP exchange with one address: sends a request, counts the answer's bytes, and closes when interrupted. */
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type Socket } from "node:net"
import { AnswerBytes, type ReadingEnd } from "./answerBytes.ts"
import type { Connections } from "./connections.ts"
import { type HeaderMap, outgoingHeaders } from "./headerPolicy.ts"
import { type Hop, type Message, redirectTarget } from "./hop.ts"
import { LookupRefusal } from "./policedLookup.ts"

/** Headers of an answer above this many bytes end the exchange. */
const maxResponseHeaderBytes = 32_768

/** The answer to one exchange. */
export interface Answer {
  readonly status: number
  /** Lower-case names, each once; values of equal names joined by a comma. */
  readonly headers: HeaderMap
  /** Empty if `location` is set: the body of a redirect is not read. */
  readonly bytes: Uint8Array
  /** As declared by `content-length`; 0 if it was not. */
  readonly contentLength: number
  /** The target of a redirect. */
  readonly location: string | undefined
}

/** Why there is no answer; the text is for the program and contains no address. */
export interface ExchangeFailure {
  readonly message: string
  /** A kept-alive connection was already closed: nothing was answered, and another connection may work. */
  readonly stale: boolean
  /** What it says of the host: it cannot be reached; it took the connection and did not answer; or nothing. */
  readonly fault: "unreachable" | "silent" | "none"
}

/** How an exchange ended. */
export type ExchangeEnd = { readonly answer: Answer } | { readonly failure: ExchangeFailure }

const failure = (message: string, stale = false, fault: ExchangeFailure["fault"] = "none"): ExchangeEnd => ({
  failure: { message, stale, fault }
})

const unreachableCodes: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"])
const isTlsCode = (code: string): boolean => /CERT|TLS|SSL|SIGNATURE|ISSUER|EPROTO/.test(code)

/** What a connection's fault says of its host, if no answer came before it. */
const faultOf = (code: string): ExchangeFailure["fault"] =>
  unreachableCodes.has(code) || isTlsCode(code) ? "unreachable" : code === "ECONNRESET" || code === "EPIPE" ? "silent" : "none"

const textsByCode: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "the connection was refused"],
  ["ECONNRESET", "the connection was closed before the answer was complete"],
  ["EPIPE", "the connection was closed before the answer was complete"],
  ["EHOSTUNREACH", "the host is unreachable"],
  ["ENETUNREACH", "the host is unreachable"],
  ["ETIMEDOUT", "the host did not answer"],
  ["HPE_HEADER_OVERFLOW", `the answer's headers are larger than ${maxResponseHeaderBytes} bytes`]
])

/** What went wrong with a connection. */
type Fault = (Error & { readonly code?: string }) | { readonly code: string }

/** The same text for a fault on every runtime: engine texts differ and would contain addresses. */
const failureOf = (cause: Fault, stale: boolean): ExchangeEnd => {
  if (cause instanceof LookupRefusal) return failure(cause.message)
  const code = cause.code ?? ""
  const text =
    textsByCode.get(code) ??
    (code.startsWith("HPE_") ? "the answer is not valid HTTP" : undefined) ??
    (isTlsCode(code) ? "the secure connection could not be established" : "no answer")
  return failure(`outbound request failed: ${text}`, stale && (code === "ECONNRESET" || code === "EPIPE"), faultOf(code))
}

/** More interim answers (RFC 9110 section 15.2) than this end the exchange. */
const maxInterimAnswers = 16

const tooLarge = (maxBytes: number): ExchangeEnd => failure(`outbound request failed: the answer is larger than ${maxBytes} bytes`)

const readingFailure = (end: ReadingEnd, maxBytes: number): ExchangeEnd => {
  switch (end) {
    case "tooLarge":
      return tooLarge(maxBytes)
    case "tooManyChunks":
      return failure("outbound request failed: the answer comes in too many chunks")
    case "noRoom":
      return failure("outbound request failed: too many bytes of answers are being read at once")
  }
}

const answerHeaders = (raw: ReadonlyArray<string>): HeaderMap => {
  const headers = new Map<string, string>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase()
    const before = headers.get(name)
    headers.set(name, before === undefined ? (raw[at + 1] ?? "") : `${before}, ${raw[at + 1] ?? ""}`)
  }
  return headers
}

const declaredLength = (headers: HeaderMap): number => {
  const text = headers.get("content-length") ?? ""
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : 0
}

/** A host that began to answer is neither unreachable nor silent. */
const answeredInPart = (end: ExchangeEnd): ExchangeEnd => ("answer" in end ? end : failure(end.failure.message, end.failure.stale))

const notHttp = "outbound request failed: the answer is not valid HTTP"

/** RFC 9110, section 15. */
const leastStatus = 100

const closedEarly: Fault = { code: "ECONNRESET" }

/** Reads an answer's body up to the limit. Only the first call of `done` counts. */
const readAnswer = (
  response: IncomingMessage,
  method: string,
  maxBytes: number,
  body: AnswerBytes,
  done: (end: ExchangeEnd) => void
): void => {
  const headers = answerHeaders(response.rawHeaders)
  const status = response.statusCode ?? 0
  // A program takes a status of 0 for a request that was refused here.
  if (status < leastStatus) return done(failure(notHttp))
  const head = { status, headers, contentLength: declaredLength(headers) }
  const location = redirectTarget(status, headers.get("location"))
  if (location !== undefined) return done({ answer: { bytes: new Uint8Array(), location, ...head } })
  if (method !== "HEAD" && head.contentLength > maxBytes) return done(tooLarge(maxBytes))
  if (head.contentLength > 0) body.declare(head.contentLength)
  const read = (chunk: Uint8Array): void => {
    const end = body.append(chunk)
    if (end === undefined) return
    // Data that was already read from the connection would still be delivered, chunk by chunk.
    response.off("data", read)
    done(readingFailure(end, maxBytes))
  }
  response.on("data", read)
  response.on("end", () => done({ answer: { bytes: body.bytes(), location, ...head } }))
  response.on("error", (cause) => done(answeredInPart(failureOf(cause, false))))
  response.on("close", () => done(answeredInPart(failureOf(closedEarly, false))))
}

const open = (connections: Connections, hop: Hop, message: Message, room: ExchangeRoom, fresh: boolean): ClientRequest => {
  const sendsBody = message.body.length > 0
  // RFC 9110 section 8.6: a method that anticipates a body declares an empty one.
  const contentLength = sendsBody || message.method.startsWith("P") ? message.body.length : undefined
  const request = (hop.secure ? httpsRequest : httpRequest)({
    hostname: hop.hostname,
    port: hop.port,
    method: message.method,
    path: hop.url.pathname + hop.url.search,
    headers: outgoingHeaders(message.headers, hop.operatorHeaders, hop.url.host, contentLength),
    agent: connections.agentFor(hop, fresh),
    lookup: connections.lookupFor(hop, room.projectId, room.isAhead),
    maxHeaderSize: maxResponseHeaderBytes,
    // Otherwise the certificate's name would be taken from the Host header.
    servername: isIP(hop.hostname) === 0 ? hop.hostname : ""
  })
  if (sendsBody) request.end(message.body)
  else request.end()
  return request
}

/** While a secure connection is being made, its lower one is there already. */
const isOpen = (socket: (Socket & { readonly secureConnecting?: boolean }) | null): boolean =>
  socket !== null && !socket.connecting && socket.secureConnecting !== true

/** A request that a runtime refuses to send is the program's fault, not ours. */
const opened = (...parts: Parameters<typeof open>): ClientRequest | undefined => {
  try {
    return open(...parts)
  } catch {
    return undefined
  }
}

/** An exchange under way. */
export interface ExchangeUnderWay {
  /** Closes its connection; nothing is answered any more. */
  readonly close: () => void
  /** Whether the host has taken the connection. */
  readonly isConnected: () => boolean
}

const over: ExchangeUnderWay = { close: () => {}, isConnected: () => false }

/** The limits of one exchange. */
export interface ExchangeRoom {
  readonly projectId: string
  readonly maxResponseBytes: number
  readonly isAhead?: boolean
}

/** Sends a message over one hop. `fresh`: not over a kept-alive connection. `ended` is called once, unless it is closed before. */
export const exchange = (
  connections: Connections,
  hop: Hop,
  message: Message,
  room: ExchangeRoom,
  fresh: boolean,
  ended: (end: ExchangeEnd) => void
): ExchangeUnderWay => {
  const request = opened(connections, hop, message, room, fresh)
  if (request === undefined) {
    ended(failure("outbound request refused: the request cannot be sent"))
    return over
  }
  const { isAhead = false, maxResponseBytes, projectId } = room
  const body = new AnswerBytes(connections.roomFor(isAhead), projectId, maxResponseBytes)
  let isOver = false
  let interim = 0
  const done = (end: ExchangeEnd): void => {
    if (isOver) return
    isOver = true
    body.release()
    // After a complete answer the connection returns to the pool; otherwise it cannot be reused.
    if ("failure" in end || end.answer.location !== undefined) request.destroy()
    ended(end)
  }
  request.on("information", () => {
    interim += 1
    if (interim > maxInterimAnswers) done(failure("outbound request failed: too many interim answers"))
  })
  request.on("response", (response) => readAnswer(response, message.method, maxResponseBytes, body, done))
  request.on("upgrade", () => done(failure(notHttp)))
  request.on("error", (cause) => done(failureOf(cause, request.reusedSocket)))
  return {
    close: () => {
      if (isOver) return
      isOver = true
      body.release()
      request.destroy()
    },
    isConnected: () => isOpen(request.socket)
  }
}
