/** The JSON that answers a program: a settled promise around the bytes of a response (vm-abi, section 8). */
import type { FetchAnswer } from "../pass/tape.ts"

const encoder = new TextEncoder()

/** The decimal digits of every byte followed by a comma, and where each begins. */
const digits = Array.from({ length: 256 }, (_, value) => encoder.encode(`${value},`))

/** `prefix[b0,b1,...]suffix`: responses are megabytes, so this is written by hand. */
const bytesAsJson = (prefix: string, bytes: Uint8Array, suffix: string): Uint8Array => {
  const head = encoder.encode(`${prefix}[`)
  const tail = encoder.encode(`]${suffix}`)
  const out = new Uint8Array(head.length + bytes.length * 4 + tail.length)
  out.set(head)
  let at = head.length
  for (const byte of bytes) {
    const text = digits[byte] ?? head
    out.set(text, at)
    at += text.length
  }
  if (bytes.length > 0) at -= 1
  out.set(tail, at)
  return out.slice(0, at + tail.length)
}

/** Several values of one name become one, as HTTP allows; names keep the order of their first appearance. */
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
    `,"content_length":${answer.contentLength},"headers":${headersAsJson(answer.headers)}`
      + `,"status":${answer.status},"url":${JSON.stringify(answer.url)}}`
  )

/** A settled promise around these bytes. */
export const promiseJson = (fulfilled: boolean, bytes: Uint8Array): Uint8Array =>
  bytesAsJson(fulfilled ? '{"Fulfilled":' : '{"Rejected":', bytes, "}")

/** What a program reads after a fetch in the execution phase. */
export const fetchPromiseJson = (answer: FetchAnswer): Uint8Array => promiseJson(answer.fulfilled, responseJson(answer))

/** The answer to a request that never went out, or never came back: the text stands in the body. */
export const failedFetch = (message: string): FetchAnswer => {
  const bytes = encoder.encode(message)
  return { fulfilled: false, status: 0, headers: [], bytes, url: "", contentLength: bytes.length }
}

/** What a program reads after any fetch in the tally phase: a rejected promise, in another order of keys. */
export const refusedFetchJson = (message: string): Uint8Array => {
  const bytes = encoder.encode(message)
  const tail = `,"url":"","content_length":${bytes.length}}`
  return promiseJson(false, bytesAsJson('{"status":0,"headers":{},"bytes":', bytes, tail))
}
