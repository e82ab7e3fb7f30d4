/** The proof that a request to a data proxy comes from a service it accepts (docs/DECISIONS.md, "Data proxies"). */
import { concatBytes } from "@noble/hashes/utils.js"
import { fromBase64, fromHex, fromUtf8, toBase64, toBigEndian, toHex, toUtf8 } from "../encoding/bytes.ts"
import { keccak256 } from "../encoding/keccak256.ts"

/** The request header that carries a proof. */
export const fastProofHeaderName = "x-seda-fast-proof"

/** A proof: its time, its network, and its signature. */
export interface FastProof {
  /** ms since the Unix epoch. */
  readonly timestampMs: number
  /** Absent in the short form, which is valid on every network. */
  readonly chainId: string | undefined
  /** 65 bytes r‖s‖v over {@link fastProofDigest}, v 0 or 1. */
  readonly signature: Uint8Array
}

/** The signed digest: keccak256(u64be(timestampMs) ‖ chainId), without the chain id in the short form. 32 bytes. */
export const fastProofDigest = ({ chainId, timestampMs }: Omit<FastProof, "signature">): Uint8Array =>
  keccak256(concatBytes(toBigEndian(BigInt(timestampMs), 8), fromUtf8(chainId ?? "")))

/** The header's value: base64 of `timestampMs:signature` or `timestampMs:signature:chainId`. */
export const fastProofHeader = ({ chainId, signature, timestampMs }: FastProof): string =>
  toBase64(fromUtf8(`${timestampMs}:${toHex(signature)}${chainId === undefined ? "" : `:${chainId}`}`))

/** Parses a header's value; `undefined` if it is malformed. The signature is not checked. */
export const readFastProof = (header: string): FastProof | undefined => {
  const bytes = fromBase64(header)
  const match = bytes === undefined ? null : /^([0-9]{1,15}):([0-9a-f]{130})(?::([^:]+))?$/i.exec(toUtf8(bytes) ?? "")
  const signature = fromHex(match?.[2] ?? "0")
  return match === null || signature === undefined ? undefined : { timestampMs: Number(match[1]), chainId: match[3], signature }
}
