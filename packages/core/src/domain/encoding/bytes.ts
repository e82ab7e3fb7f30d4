/** Conversion of bytes: hex, base64, UTF-8, big-endian integers. Invalid input gives `undefined` and never throws. */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"

const encoder = new TextEncoder()
const lossyDecoder = new TextDecoder("utf-8", { ignoreBOM: true })
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Lowercase hex without `0x`. */
export const toHex = (bytes: Uint8Array): string => bytesToHex(bytes)

/** Hex of even length with or without `0x`, any letter case. */
export const fromHex = (text: string): Uint8Array | undefined => {
  const digits = /^0x/i.test(text) ? text.slice(2) : text
  return digits.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(digits) ? hexToBytes(digits) : undefined
}

/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export const fromUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Decodes UTF-8; each invalid sequence becomes U+FFFD. */
export const toUtf8Lossy = (bytes: Uint8Array): string => lossyDecoder.decode(bytes)

/** Decodes UTF-8; `undefined` if the bytes are invalid. */
export const toUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return strictDecoder.decode(bytes)
  } catch {
    return undefined
  }
}

const binaryChunk = 0x8000

/** Standard base64 with padding. */
export const toBase64 = (bytes: Uint8Array): string => {
  let binary = ""
  for (let at = 0; at < bytes.length; at += binaryChunk) {
    binary += String.fromCharCode(...bytes.subarray(at, at + binaryChunk))
  }
  return btoa(binary)
}

/** Decodes standard or URL-safe base64. Padding is optional, but must be correct if present. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  const match = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text)
  if (match === null) return undefined
  const digits = match[1] ?? ""
  const padding = match[2] ?? ""
  if (digits.length % 4 === 1) return undefined
  if (padding !== "" && (digits.length + padding.length) % 4 !== 0) return undefined
  const binary = atob(digits.replaceAll("-", "+").replaceAll("_", "/"))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** An unsigned integer as exactly `size` big-endian bytes, reduced modulo 2^(8·size). */
export const toBigEndian = (value: bigint, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  let rest = BigInt.asUintN(size * 8, value)
  for (let at = size - 1; at >= 0; at -= 1) {
    bytes[at] = Number(rest & 0xffn)
    rest >>= 8n
  }
  return bytes
}

/** The unsigned integer with these big-endian bytes. */
export const fromBigEndian = (bytes: Uint8Array): bigint => {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return value
}

/** Whether two byte strings are equal. Not for secrets: it stops at the first difference. */
export const equalBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => byte === right[at])
