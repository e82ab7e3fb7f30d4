/**
 * The outermost form of a message: its version, and whether it is whole or a part of one that is larger than NATS takes at once.
 *
 * Byte 0 is the version. In every version, 0 says that the receiver does not understand the sender's, and the rest is JSON. Byte 1 is 0
 * for a whole message, which follows; and 1 for a part: 16 bytes that name the message, the place of the part and their count (32 bits
 * each, big-endian), and its bytes.
 */
import { contractVersion } from "./subjects.ts"

/** A frame as it was read. `body` is a view of the message. */
export type Frame =
  | { readonly kind: "whole"; readonly body: Uint8Array }
  | { readonly kind: "part"; readonly name: string; readonly index: number; readonly count: number; readonly body: Uint8Array }
  /** The other side understands these versions, and ours is none of them. */
  | { readonly kind: "refusal"; readonly versions: ReadonlyArray<number> }
  /** A version that we do not understand. */
  | { readonly kind: "otherVersion"; readonly version: number }
  | { readonly kind: "garbage" }

const wholeHead = 2
const nameBytes = 16
const partHead = wholeHead + nameBytes + 8

/** Maximum parts of a message: with the least `max_payload` that NATS is used with, more than any message needs. */
export const maxParts = 4_096

const framed = (head: Uint8Array, body: Uint8Array): Uint8Array => {
  const frame = new Uint8Array(head.length + body.length)
  frame.set(head)
  frame.set(body, head.length)
  return frame
}

/** Whether a body needs no parts. */
export const fitsWhole = (body: Uint8Array, maxPayloadBytes: number): boolean => body.length + wholeHead <= maxPayloadBytes

const partOf = (body: Uint8Array, name: Uint8Array, index: number, count: number): Uint8Array => {
  const head = new Uint8Array(partHead)
  head.set([contractVersion, 1])
  head.set(name, wholeHead)
  const numbers = new DataView(head.buffer)
  numbers.setUint32(wholeHead + nameBytes, index)
  numbers.setUint32(wholeHead + nameBytes + 4, count)
  return framed(head, body)
}

/** The frames of a body, in the order in which they are sent: one if it fits. `name` makes 16 bytes that no other message has. */
export const framesOf = (body: Uint8Array, maxPayloadBytes: number, name: () => Uint8Array): ReadonlyArray<Uint8Array> => {
  if (fitsWhole(body, maxPayloadBytes)) return [framed(Uint8Array.of(contractVersion, 0), body)]
  const room = maxPayloadBytes - partHead
  const count = Math.ceil(body.length / room)
  const named = name()
  return Array.from({ length: count }, (_, index) => partOf(body.subarray(index * room, (index + 1) * room), named, index, count))
}

/** The answer to a message of another version. */
export const refusalFrame = (): Uint8Array =>
  framed(Uint8Array.of(0), new TextEncoder().encode(JSON.stringify({ versions: [contractVersion] })))

const readRefusal = (body: Uint8Array): Frame => {
  try {
    const { versions } = JSON.parse(new TextDecoder().decode(body)) as { readonly versions?: unknown }
    return Array.isArray(versions) && versions.every((one) => Number.isInteger(one)) ? { kind: "refusal", versions } : { kind: "garbage" }
  } catch {
    return { kind: "garbage" }
  }
}

const readPart = (data: Uint8Array): Frame => {
  if (data.length < partHead) return { kind: "garbage" }
  const numbers = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const [index, count] = [numbers.getUint32(wholeHead + nameBytes), numbers.getUint32(wholeHead + nameBytes + 4)]
  if (count < 2 || count > maxParts || index >= count) return { kind: "garbage" }
  const name = [...data.subarray(wholeHead, wholeHead + nameBytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return { kind: "part", name, index, count, body: data.subarray(partHead) }
}

/** Reads a frame; whatever it is given, it does not throw. */
export const readFrame = (data: Uint8Array): Frame => {
  const [version, form] = data
  if (version === undefined) return { kind: "garbage" }
  if (version === 0) return readRefusal(data.subarray(1))
  if (version !== contractVersion) return { kind: "otherVersion", version }
  if (form === 0) return { kind: "whole", body: data.subarray(wholeHead) }
  return form === 1 ? readPart(data) : { kind: "garbage" }
}
