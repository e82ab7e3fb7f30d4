/** WebSocket frames as bytes (RFC 6455, section 5.2): valid ones, and deliberately invalid ones. */

/** The types of frames. The rest of 0 to 15 is reserved. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** A frame to send; absent members get their valid values. */
export interface Frame {
  readonly opcode: number
  readonly payload?: string | Uint8Array
  /** False for every fragment but the last. */
  readonly fin?: boolean
  /** The reserved bits RSV1 to RSV3, as 4, 2 and 1. */
  readonly reserved?: number
  /** Clients must mask. */
  readonly masked?: boolean
  /** The length in the header, if it is to be wrong. */
  readonly claimedLength?: number
  /** How many bytes the length takes: 0, 2 or 8. By default the shortest that fits. */
  readonly lengthBytes?: 0 | 2 | 8
}

/** A received frame. */
export interface ReceivedFrame {
  readonly opcode: number
  readonly payload: Buffer
  readonly fin: boolean
  readonly reserved: number
  readonly masked: boolean
}

const mask = Uint8Array.of(0x5a, 0x01, 0xff, 0x80)

const masking = (payload: Uint8Array): Uint8Array => payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0))

const shortest = (length: number): 0 | 2 | 8 => (length < 126 ? 0 : length < 65_536 ? 2 : 8)

const lengthField = (length: number, bytes: 0 | 2 | 8): Buffer => {
  const field = Buffer.alloc(1 + bytes)
  field[0] = bytes === 0 ? length : bytes === 2 ? 126 : 127
  if (bytes === 2) field.writeUInt16BE(length, 1)
  if (bytes === 8) field.writeBigUInt64BE(BigInt(length), 1)
  return field
}

/** The bytes of a frame. A text payload is UTF-8. */
export const encodeFrame = (frame: Frame): Buffer => {
  const { opcode, fin = true, reserved = 0, masked = true } = frame
  const payload = typeof frame.payload === "string" ? Buffer.from(frame.payload) : (frame.payload ?? new Uint8Array())
  const length = frame.claimedLength ?? payload.length
  const field = lengthField(length, frame.lengthBytes ?? shortest(length))
  field[0] = (field[0] ?? 0) | (masked ? 0x80 : 0)
  const first = Uint8Array.of((fin ? 0x80 : 0) | (reserved << 4) | opcode)
  return Buffer.concat(masked ? [first, field, mask, masking(payload)] : [first, field, payload])
}

/** The payload of a close frame. */
export const closePayload = (code: number, reason = ""): Buffer => {
  const payload = Buffer.from(`..${reason}`)
  payload.writeUInt16BE(code)
  return payload
}

/** The first frame in some bytes and its size; `undefined` while it is incomplete. */
export const readFrame = (bytes: Buffer): { readonly frame: ReceivedFrame; readonly size: number } | undefined => {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  const masked = second >= 0x80
  const short = second & 0x7f
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
  const start = 2 + lengthBytes + (masked ? 4 : 0)
  if (bytes.length < start) return undefined
  const long = lengthBytes === 2 ? bytes.readUInt16BE(2) : lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : short
  if (bytes.length < start + long) return undefined
  const key = bytes.subarray(start - 4, start)
  const raw = bytes.subarray(start, start + long)
  const payload = masked ? Buffer.from(raw.map((byte, at) => byte ^ (key[at % 4] ?? 0))) : raw
  const frame = { opcode: first & 0x0f, payload, fin: first >= 0x80, reserved: (first >> 4) & 7, masked }
  return { frame, size: start + long }
}

/** Splits a stream of bytes into frames. */
export class FrameReader {
  #pieces: Array<Buffer> = []
  #length = 0
  #wanted = 2

  /** The frames that are complete now. */
  push(bytes: Buffer): ReadonlyArray<ReceivedFrame> {
    this.#pieces.push(bytes)
    this.#length += bytes.length
    // A long frame arrives in many pieces: they are joined when it may be complete, not one by one.
    if (this.#length < this.#wanted) return []
    let rest = Buffer.concat(this.#pieces)
    const frames: Array<ReceivedFrame> = []
    for (let read = readFrame(rest); read !== undefined; read = readFrame(rest)) {
      frames.push(read.frame)
      rest = rest.subarray(read.size)
    }
    this.#pieces = [rest]
    this.#length = rest.length
    this.#wanted = rest.length < 10 ? rest.length + 1 : Math.max(rest.length + 1, wholeSize(rest))
    return frames
  }
}

/** The size of the first frame, given at least ten bytes. */
export const wholeSize = (bytes: Buffer): number => {
  const second = bytes[1] ?? 0
  const short = second & 0x7f
  const masked = second >= 0x80 ? 4 : 0
  if (short === 126) return 4 + masked + bytes.readUInt16BE(2)
  return short === 127 ? 10 + masked + Number(bytes.readBigUInt64BE(2)) : 2 + masked + short
}
