/** The JSON that answers a program: a settled promise around the bytes of a response, as on the public network. */
import type { FetchAnswer, StorageAnswer } from "./tape.ts"

const encoder = new TextEncoder()

/** The decimal digits of every byte and a comma, three and a half bytes on average, in the order in which they are stored. */
const digits = Array.from({ length: 256 }, (_, value) => encoder.encode(`${value},`))
const digitWidth = 4
const packedDigits = Uint32Array.from(digits, ([a = 0, b = 0, c = 0, d = 0]) => (a | (b << 8) | (c << 16) | (d << 24)) >>> 0)
const digitLengths = Uint8Array.from(digits, (text) => text.length)

/** Writes each byte's digits and a comma; returns the end of the text. */
const writeDigits = (out: DataView, from: number, bytes: Uint8Array): number => {
  let at = from
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    // All four are written; the next byte's digits overwrite those that are too many.
    out.setUint32(at, packedDigits[byte] ?? 0, true)
    at += digitLengths[byte] ?? 0
  }
  return at
}

/** `prefix[b0,b1,...]suffix`. Answers are megabytes, and are made again for every pass, so this is hand-written. */
const bytesAsJson = (prefix: string, bytes: Uint8Array, suffix: string): Uint8Array => {
  const head = encoder.encode(`${prefix}[`)
  const tail = encoder.encode(`]${suffix}`)
  const out = new Uint8Array(head.length + bytes.length * digitWidth + tail.length)
  out.set(head)
  const end = writeDigits(new DataView(out.buffer), head.length, bytes)
  // The last comma is removed.
  const at = bytes.length > 0 ? end - 1 : end
  out.set(tail, at)
  return out.slice(0, at + tail.length)
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

/** The execution phase's response: keys in alphabetical order, no spaces. */
const responseJson = (answer: FetchAnswer): Uint8Array =>
  bytesAsJson(
    '{"bytes":',
    answer.bytes,
    `,"content_length":${answer.contentLength},"headers":${headersAsJson(answer.headers)}` +
      `,"status":${answer.status},"url":${JSON.stringify(answer.url)}}`
  )

/** A settled promise around these bytes. */
export const promiseJson = (fulfilled: boolean, bytes: Uint8Array): Uint8Array =>
  bytesAsJson(fulfilled ? '{"Fulfilled":' : '{"Rejected":', bytes, "}")

/** What a program reads after a fetch in the execution phase. */
export const fetchPromiseJson = (answer: FetchAnswer): Uint8Array => promiseJson(answer.fulfilled, responseJson(answer))

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
  return promiseJson(false, bytesAsJson('{"status":0,"headers":{},"bytes":', bytes, tail))
}
