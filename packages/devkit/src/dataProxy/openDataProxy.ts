/** A data proxy on loopback that implements the network's protocol, for tests; it can be given a fault. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { fastProofHeaderName, fromUtf8, type ProxiedExchange, proxyAnswerDigest, proxyHeaderNames, toHex } from "@sibyl/core/internal"
import { judgeProof, type ProxyClients } from "./judgeProof.ts"
import type { ProxyFault } from "./proxyFault.ts"

/** The source of a proxy: status and body of the answer to a path with its query. */
export type ProxiedSource = (path: string) => { readonly status: number; readonly body: string }

/** Options of a proxy. */
export interface DataProxyServerOptions extends ProxyClients {
  /** The origin by which clients address it, `https://proxy.test`: part of what it signs. */
  readonly publicOrigin: string
  readonly source: ProxiedSource
  /** 32 bytes; by default a fixed one. */
  readonly secret?: Uint8Array
  /** Where the fault `elsewhere` sends requests. */
  readonly elsewhereUrl?: string
}

/** A request as the proxy received it. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** A running proxy. */
export interface RunningProxy {
  /** Compressed, 66 lowercase hex characters. */
  readonly publicKey: string
  /** Its address: `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** Every request so far, oldest first. */
  readonly seen: ReadonlyArray<SeenRequest>
  /** Clears what it has seen, and sets its fault, or none. */
  readonly become: (fault: ProxyFault | undefined) => void
  readonly close: () => Promise<void>
}

const defaultSecret = new Uint8Array(32).fill(0x21)
const otherSecret = new Uint8Array(32).fill(0x22)
const protocolVersion = "0.1.0"

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString("utf8")
}

const send = (response: ServerResponse, status: number, headers: Record<string, string>, body: string): void => {
  response.writeHead(status, { ...headers, "content-type": "application/json" })
  response.end(body)
}

/** An error response of the proxy itself. */
const refuse = (response: ServerResponse, status: number, message: string): void =>
  send(response, status, {}, JSON.stringify({ data_proxy_error: message, _tag: "DataProxyError" }))

/** The headers of a signed answer, with the fault applied. */
const signedHeaders = (secret: Uint8Array, fault: ProxyFault | undefined, exchange: ProxiedExchange): Record<string, string> => {
  const signer = fault === "foreignSignature" || fault === "foreignKey" ? otherSecret : secret
  const url = fault === "changedUrl" ? `${exchange.url}#` : exchange.url
  const signature = toHex(secp256k1.sign(proxyAnswerDigest({ ...exchange, url }), signer, { prehash: false }))
  const named = toHex(secp256k1.getPublicKey(fault === "foreignKey" ? otherSecret : secret, true))
  const shown = fault === "malformedSignature" ? signature.slice(2) : signature
  return {
    ...(fault === "noSignature" ? {} : { [proxyHeaderNames.signature]: shown }),
    ...(fault === "noKey" ? {} : { [proxyHeaderNames.publicKey]: named }),
    [proxyHeaderNames.version]: protocolVersion
  }
}

/** Answers a request other than `OPTIONS`; `first` is whether it is the first since the fault was set. */
const answer = (
  options: DataProxyServerOptions & { readonly secret: Uint8Array },
  fault: ProxyFault | undefined,
  first: boolean,
  request: SeenRequest,
  response: ServerResponse
): void => {
  if (fault === "silent") return
  const { body: asked, headers, method, path } = request
  if (fault === "elsewhere") {
    response.writeHead(307, { location: `${options.elsewhereUrl ?? ""}${path}` })
    response.end()
    return
  }
  const proof = headers[fastProofHeaderName]
  const refusal = judgeProof(typeof proof === "string" ? proof : undefined, options, Date.now())
  if (refusal !== undefined) return refuse(response, refusal.status, refusal.message)
  if (fault === "failing" || (fault === "failingOnce" && first)) return refuse(response, 502, "no upstream")
  const { body, status } = options.source(path)
  const exchange = {
    url: `${options.publicOrigin}${path}`,
    method,
    requestBody: fromUtf8(asked),
    responseBody: fromUtf8(body)
  }
  const sent = fault === "changedBody" ? `${body.slice(0, -1)} ` : body
  send(response, status, signedHeaders(options.secret, fault, exchange), sent)
}

/** Answers an `OPTIONS` request, which asks for the key. */
const answerOptions = (publicKey: string, fault: ProxyFault | undefined, response: ServerResponse): void => {
  if (fault === "silentInOptions") return
  const key = fault === "noKeyInOptions" ? {} : { [proxyHeaderNames.publicKey]: publicKey }
  response.writeHead(200, { ...key, [proxyHeaderNames.version]: protocolVersion })
  response.end()
}

/** Opens a proxy on a free port of loopback. */
export const openDataProxy = async (options: DataProxyServerOptions): Promise<RunningProxy> => {
  const secret = options.secret ?? defaultSecret
  const publicKey = toHex(secp256k1.getPublicKey(secret, true))
  const seen: Array<SeenRequest> = []
  let fault: ProxyFault | undefined
  let answers = 0

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, method = "", url: path = "" } = request
    const one: SeenRequest = { method, path, headers, body: await textOf(request) }
    seen.push(one)
    if (method === "OPTIONS") return answerOptions(publicKey, fault, response)
    answers += 1
    answer({ ...options, secret }, fault, answers === 1, one, response)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    publicKey,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    become: (next) => {
      fault = next
      answers = 0
      seen.length = 0
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
