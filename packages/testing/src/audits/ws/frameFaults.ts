/** Frames that break RFC 6455 or a limit of the service, each with its close code; and unusual but valid ones. */
import { closePayload, encodeFrame, type Frame, opcodes } from "../../wire/frames.ts"

/** One fault. The client has sent nothing before it. */
export interface FrameFault {
  readonly name: string
  readonly frames: ReadonlyArray<Frame>
  /** The valid close codes; where there are two, RFC 6455 allows both. */
  readonly codes: ReadonlyArray<number>
}

const protocolError = [1002]
const { binary, close, continuation, ping, text } = opcodes

const fault = (name: string, codes: ReadonlyArray<number>, ...frames: ReadonlyArray<Frame>): FrameFault => ({ name, frames, codes })

const reservedOpcodes = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as const
/** Codes that must not occur in a close frame (RFC 6455, sections 7.4.1 and 7.4.2). */
const forbiddenCodes = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2999, 5000, 65_535] as const

const invalidUtf8: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["a lone continuation byte", [0x80]],
  ["a byte that never occurs", [0x22, 0xff, 0x22]],
  ["an overlong slash", [0xc0, 0xaf]],
  ["an overlong zero", [0xe0, 0x80, 0x80]],
  ["a surrogate", [0xed, 0xa0, 0x80]],
  ["a code point above U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
  ["a truncated character", [0x61, 0xe2, 0x82]]
]

const maxBytes = 2_097_152
const anyProjectBytes = 8_388_608

/** Every fault. */
export const frameFaults: ReadonlyArray<FrameFault> = [
  fault("a frame without a mask", protocolError, { opcode: text, payload: "{}", masked: false }),
  fault("an empty frame without a mask", protocolError, { opcode: text, masked: false }),
  ...[1, 2, 4, 7].map((reserved) => fault(`reserved bits ${reserved}`, protocolError, { opcode: text, payload: "{}", reserved })),
  ...reservedOpcodes.map((opcode) => fault(`opcode ${opcode}`, protocolError, { opcode, payload: "{}" })),
  fault("a continuation of nothing", protocolError, { opcode: continuation, payload: "{}" }),
  fault("a continuation of nothing that goes on", protocolError, { opcode: continuation, payload: "{}", fin: false }),
  fault("a text within a text", protocolError, { opcode: text, payload: "{", fin: false }, { opcode: text, payload: "}" }),
  fault("bytes within a text", protocolError, { opcode: text, payload: "{", fin: false }, { opcode: binary, payload: "}" }),
  fault("a fragmented ping", protocolError, { opcode: ping, fin: false }),
  fault("a fragmented close", protocolError, { opcode: close, fin: false }),
  fault("a ping of 126 bytes", protocolError, { opcode: ping, payload: new Uint8Array(126) }),
  fault("a close of 126 bytes", protocolError, { opcode: close, payload: closePayload(1000, "x".repeat(124)) }),
  fault("a close of one byte", protocolError, { opcode: close, payload: Uint8Array.of(3) }),
  ...forbiddenCodes.map((code) => fault(`close code ${code}`, protocolError, { opcode: close, payload: closePayload(code) })),
  ...invalidUtf8.map(([name, bytes]) => fault(`text with ${name}`, [1007], { opcode: text, payload: Uint8Array.from(bytes) })),
  fault(
    "a character that its next fragment does not complete",
    [1007],
    { opcode: text, payload: Uint8Array.of(0xe2, 0x82), fin: false },
    { opcode: continuation, payload: "x" }
  ),
  fault("a close reason that is not UTF-8", [1007], {
    opcode: close,
    payload: Buffer.concat([closePayload(1000), Uint8Array.of(0xff)])
  }),
  fault("bytes", [1003], { opcode: binary, payload: "{}" }),
  fault("no bytes", [1003], { opcode: binary }),
  fault("bytes in fragments", [1003], { opcode: binary, payload: "{", fin: false }, { opcode: continuation, payload: "}" }),
  fault("one byte too many", [1009], { opcode: text, payload: new Uint8Array(maxBytes + 1).fill(0x20) }),
  // The payload is never sent: a length beyond any project's limit is refused by the frame header.
  fault("one byte more than any project may send", [1009], { opcode: text, payload: "{", claimedLength: anyProjectBytes + 1 }),
  fault("a terabyte", [1009], { opcode: text, payload: "{", claimedLength: 2 ** 40 }),
  fault("more than any number", [1002, 1009], { opcode: text, payload: "{", claimedLength: 2 ** 63 }),
  fault(
    "fragments that are too large together",
    [1009],
    { opcode: text, payload: new Uint8Array(maxBytes).fill(0x20), fin: false },
    { opcode: continuation, payload: "{}" }
  )
]

/** An unusual but valid way to send a text. */
export interface FrameOddity {
  readonly name: string
  readonly frames: (payload: string) => ReadonlyArray<Frame>
}

const cut = (payload: string, size: number): ReadonlyArray<Frame> => {
  const bytes = Buffer.from(payload)
  const count = Math.ceil(bytes.length / size)
  return Array.from({ length: count }, (_, at) => ({
    opcode: at === 0 ? text : continuation,
    payload: bytes.subarray(at * size, (at + 1) * size),
    fin: at === count - 1
  }))
}

/** Every unusual form. */
export const frameOddities: ReadonlyArray<FrameOddity> = [
  { name: "in two fragments", frames: (payload) => cut(payload, Math.ceil(Buffer.byteLength(payload) / 2)) },
  { name: "one byte per fragment, splitting characters", frames: (payload) => cut(payload, 1) },
  {
    name: "with empty fragments around it",
    frames: (payload) => [{ opcode: text, fin: false }, { opcode: continuation, payload, fin: false }, { opcode: continuation }]
  },
  {
    name: "with a ping and a pong between its fragments",
    frames: (payload) => cut(payload, 40).flatMap((frame) => [frame, { opcode: ping, payload: "p" }, { opcode: opcodes.pong }])
  },
  {
    name: "after an unsolicited pong",
    frames: (payload) => [
      { opcode: opcodes.pong, payload: "?" },
      { opcode: text, payload }
    ]
  },
  {
    name: "with the largest control frames",
    frames: (payload) => [
      { opcode: ping, payload: new Uint8Array(125) },
      { opcode: text, payload }
    ]
  },
  {
    name: "of exactly the largest size",
    frames: (payload) => [{ opcode: text, payload: payload.padEnd(maxBytes - (Buffer.byteLength(payload) - payload.length)) }]
  }
]

/** The bytes of a fault. */
export const faultBytes = ({ frames }: Pick<FrameFault, "frames">): Buffer => Buffer.concat(frames.map(encodeFrame))
