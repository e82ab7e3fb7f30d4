/** The signature of a data proxy over its answer, as on the public network (docs/DECISIONS.md, "Data proxies"). */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { fromHex, fromUtf8 } from "../encoding/bytes.ts"
import { keccak256 } from "../encoding/keccak256.ts"

/** The headers of an answer: its signature (r‖s in hex), the proxy's key in hex, the protocol version. */
export const proxyHeaderNames = {
  signature: "x-seda-signature",
  publicKey: "x-seda-publickey",
  version: "x-seda-version"
} as const

/** What a proxy signs: the request and the body of its response. */
export interface ProxiedExchange {
  /** The whole URL including its query. */
  readonly url: string
  /** In any letter case. */
  readonly method: string
  /** Empty if there is none. */
  readonly requestBody: Uint8Array
  readonly responseBody: Uint8Array
}

/** The four hashes, 128 bytes: keccak256 of the URL, of the method in upper case, and of the two bodies. */
export const proxyAnswerMessage = ({ method, requestBody, responseBody, url }: ProxiedExchange): Uint8Array =>
  concatBytes(keccak256(fromUtf8(url)), keccak256(fromUtf8(method.toUpperCase())), keccak256(requestBody), keccak256(responseBody))

/** The hash of {@link proxyAnswerMessage}, which is what is signed. 32 bytes. */
export const proxyAnswerDigest = (exchange: ProxiedExchange): Uint8Array => keccak256(proxyAnswerMessage(exchange))

/** Whether `signature` (64 bytes r‖s in hex, low s) is that of `publicKey` (SEC1 in hex) on the exchange. Never throws. */
export const isProxySignature = (exchange: ProxiedExchange, signature: string, publicKey: string): boolean => {
  const [signatureBytes, keyBytes] = [fromHex(signature), fromHex(publicKey)]
  if (signatureBytes?.length !== 64 || keyBytes === undefined) return false
  try {
    return secp256k1.verify(signatureBytes, proxyAnswerDigest(exchange), keyBytes, { prehash: false })
  } catch {
    return false
  }
}
