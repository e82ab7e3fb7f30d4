/** A result in all encodings of the service, and in readable form. */
import { fromHex, toBase64, toHex, toUtf8 } from "@sibyl/core/internal"

/** The encodings that can be chosen. */
export const encodings = ["hex", "base64", "utf8", "json"] as const

/** One of the encodings. */
export type Encoding = (typeof encodings)[number]

/** A result in all encodings; `utf8` and `json` are `null` if the bytes are not valid. */
export interface EncodedResult {
  readonly hex: string
  readonly base64: string
  readonly utf8: string | null
  readonly json: unknown
}

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** The result in every encoding. */
export const encodedResult = (bytes: Uint8Array): EncodedResult => {
  const text = toUtf8(bytes)
  return { hex: `0x${toHex(bytes)}`, base64: toBase64(bytes), utf8: text ?? null, json: parsed(text) }
}

const isReadable = (text: string): boolean => !/\p{Cc}/u.test(text.replaceAll(/[\n\t]/g, "")) && !text.startsWith("0x")

/** Text if it is readable, else hex with `0x`; {@link resultBytes} reads both. */
export const resultText = (bytes: Uint8Array): string => {
  const text = toUtf8(bytes)
  return text !== undefined && isReadable(text) ? text : `0x${toHex(bytes)}`
}

/** The bytes of a text: hex after `0x`, else UTF-8. `undefined` if what follows `0x` is not hex. */
export const resultBytes = (text: string): Uint8Array | undefined =>
  text.startsWith("0x") ? fromHex(text) : new TextEncoder().encode(text)

/** The result in the chosen encoding. */
export const shownResult = (bytes: Uint8Array, encoding: Encoding | undefined): string => {
  if (encoding === undefined) return resultText(bytes)
  const all = encodedResult(bytes)
  return encoding === "json" ? (all.json === null ? all.hex : (all.utf8 ?? all.hex)) : (all[encoding] ?? all.hex)
}
