/** The JSON that answers a program: a settled promise around the bytes of a response, as on the public network. */
import type { FetchAnswer, StorageAnswer } from "./tape.ts"

const encoder = new TextEncoder()

/** What each byte is written as, in words of four bytes: all of them are written, and the next byte overwrites those that are too many. */
interface ByteTexts {
  readonly words: Uint32Array
  readonly wordsOfByte: number
  readonly lengths: Uint8Array
}

const byteTexts = (wordsOfByte: number, textOf: (byte: number) => string): ByteTexts => {
  const bytes = Array.from({ length: 256 }, (_, byte) => encoder.encode(textOf(byte)))
  const words = bytes.flatMap((text) => {
    const view = new DataView(new ArrayBuffer(4 * wordsOfByte))
    for (const [at, character] of text.entries()) view.setUint8(at, character)
    return Array.from({ length: wordsOfByte }, (_, word) => view.getUint32(4 * word, true))
  })
  return { words: Uint32Array.from(words), wordsOfByte, lengths: Uint8Array.from(bytes, ({ length }) => length) }
}

/** The digits of a byte and a comma, three and a half bytes on average. */
const digits = byteTexts(1, (byte) => `${byte},`)

/** The same, each of these characters in its turn as digits and a comma: a response is an array of bytes within an array of bytes. */
const digitsOfDigits = byteTexts(3, (byte) => [...encoder.encode(`${byte},`)].map((character) => `${character},`).join(""))

/** The digits of a comma, and a comma. */
const commaLength = "44,".length

/** Writes the digits of each byte; returns the end of the text. */
const writeDigits = (out: DataView, from: number, bytes: Uint8Array): number => {
  const { lengths, words } = digits
  let at = from
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    out.setUint32(at, words[byte] ?? 0, true)
    at += lengths[byte] ?? 0
  }
  return at
}

/** The same for the digits of the digits. */
const writeDigitsOfDigits = (out: DataView, from: number, bytes: Uint8Array): number => {
  const { lengths, words } = digitsOfDigits
  let at = from
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    const word = byte * digitsOfDigits.wordsOfByte
    out.setUint32(at, words[word] ?? 0, true)
    out.setUint32(at + 4, words[word + 1] ?? 0, true)
    out.setUint32(at + 8, words[word + 2] ?? 0, true)
    at += lengths[byte] ?? 0
  }
  return at
}

/** Not cleared: what is returned of it was written. Answers are megabytes, and are made again for every pass. */
const space = (length: number): { readonly out: Uint8Array; readonly view: DataView } => {
  const { buffer } = Buffer.allocUnsafeSlow(length)
  return { out: new Uint8Array(buffer), view: new DataView(buffer) }
}

/** `prefix[b0,b1,...]suffix`. */
const bytesAsJson = (prefix: string, bytes: Uint8Array, suffix: string): Uint8Array => {
  const head = encoder.encode(`${prefix}[`)
  const tail = encoder.encode(`]${suffix}`)
  const { out, view } = space(head.length + bytes.length * 4 + tail.length)
  out.set(head)
  const end = writeDigits(view, head.length, bytes)
  // The last comma is removed.
  const at = bytes.length > 0 ? end - 1 : end
  out.set(tail, at)
  return out.subarray(0, at + tail.length)
}

/** `prefix[digits of inner]}`, the inner text being `head[b0,b1,...]tail`. */
const nestedBytesAsJson = (prefix: string, head: string, bytes: Uint8Array, tail: string): Uint8Array => {
  const outerHead = encoder.encode(`${prefix}[`)
  const innerHead = encoder.encode(`${head}[`)
  const innerTail = encoder.encode(`]${tail}`)
  const { out, view } = space(outerHead.length + (innerHead.length + innerTail.length) * 4 + bytes.length * 12 + 12)
  out.set(outerHead)
  const from = writeDigits(view, outerHead.length, innerHead)
  const end = writeDigitsOfDigits(view, from, bytes)
  const at = writeDigits(view, bytes.length > 0 ? end - commaLength : end, innerTail)
  // In the place of the last comma.
  out[at - 1] = "]".charCodeAt(0)
  out[at] = "}".charCodeAt(0)
  return out.subarray(0, at + 1)
}

/** Several values of one name are joined, as HTTP allows; names keep the order of their first occurrence. */
const headersAsJson = (headers: FetchAnswer["headers"]): string => {
  const joined = new Map<string, string>()
  for (const [name, value] of headers) {
    const before = joined.get(name)
    joined.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return `{${[...joined].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`
}

const prefixOf = (fulfilled: boolean): string => (fulfilled ? '{"Fulfilled":' : '{"Rejected":')

/** A settled promise around these bytes. */
export const promiseJson = (fulfilled: boolean, bytes: Uint8Array): Uint8Array => bytesAsJson(prefixOf(fulfilled), bytes, "}")

/** What a program reads after a fetch in the execution phase: a promise around a response, its keys in alphabetical order, without spaces. */
export const fetchPromiseJson = ({ bytes, contentLength, fulfilled, headers, status, url }: FetchAnswer): Uint8Array =>
  nestedBytesAsJson(
    prefixOf(fulfilled),
    '{"bytes":',
    bytes,
    `,"content_length":${contentLength},"headers":${headersAsJson(headers)},"status":${status},"url":${JSON.stringify(url)}}`
  )

/** The answer to a request that was not sent or not answered: the text is in the body. */
export const failedFetch = (message: string): FetchAnswer => {
  const bytes = encoder.encode(message)
  return { fulfilled: false, status: 0, headers: [], bytes, url: "", contentLength: bytes.length }
}

/** The same for a storage call. */
export const rejection = (message: string): StorageAnswer => ({ fulfilled: false, bytes: encoder.encode(message) })

/** What a program reads after any fetch in the tally phase: a rejected promise, in another order of keys. */
export const refusedFetchJson = (message: string): Uint8Array => {
  const bytes = encoder.encode(message)
  const tail = `,"url":"","content_length":${bytes.length}}`
  return nestedBytesAsJson(prefixOf(false), '{"status":0,"headers":{},"bytes":', bytes, tail)
}
