/** The proof that a request to a data proxy comes from a service it knows (protocol facts, section 5). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { fromBase64, fromHex, fromUtf8, toBase64, toBigEndian, toHex, toUtf8 } from "../encoding/bytes.ts"

/** The request header that carries a proof. */
export const fastProofHeaderName = "x-seda-fast-proof"

/** A proof: when it was made, for which network, and by whom. */
export interface FastProof {
  /** ms since 1970. */
  readonly timestampMs: number
  /** Absent in the short form, which holds on every network. */
  readonly chainId: string | undefined
  /** 65 bytes r‖s‖v over {@link fastProofDigest}, v 0 or 1. */
  readonly signature: Uint8Array
}

/** What is signed: keccak256(u64be(timestampMs) ‖ chainId), the chain id left out in the short form. 32 bytes. */
export const fastProofDigest = ({ chainId, timestampMs }: Omit<FastProof, "signature">): Uint8Array =>
  keccak_256(concatBytes(toBigEndian(BigInt(timestampMs), 8), fromUtf8(chainId ?? "")))

/** The header's value: base64 of `timestampMs:signature` or `timestampMs:signature:chainId`. */
export const fastProofHeader = ({ chainId, signature, timestampMs }: FastProof): string =>
  toBase64(fromUtf8(`${timestampMs}:${toHex(signature)}${chainId === undefined ? "" : `:${chainId}`}`))

/** Reads a header's value; `undefined` when it is no proof. It says nothing about who signed it. */
export const readFastProof = (header: string): FastProof | undefined => {
  const bytes = fromBase64(header)
  const match = bytes === undefined ? null : /^([0-9]{1,15}):([0-9a-f]{130})(?::([^:]+))?$/i.exec(toUtf8(bytes) ?? "")
  const signature = fromHex(match?.[2] ?? "0")
  return match === null || signature === undefined ? undefined : { timestampMs: Number(match[1]), chainId: match[3], signature }
}
