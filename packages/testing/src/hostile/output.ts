/** Programs that flood their output and their result, or put into them what harms whoever shows it. */
import { call, i32Const } from "../wasm/instructions.ts"
import { asking, type Bomb, type Code, exitZero, forever, harmless, stopped, textBytes, times, turns } from "./bomb.ts"

const iovec = (at: number, length: number): Code =>
  [at, length].flatMap((word) => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24])

/** Writes the 64 KiB behind the list to a descriptor. */
const writes = (descriptor: number, count = 1): Code => asking(0, descriptor, 0, count, 8_192)

const oneText = (text: Code) => ({
  imports: ["fdWrite", "procExit"] as const,
  data: [
    { offset: 0, bytes: iovec(1_024, text.length) },
    { offset: 1_024, bytes: text }
  ]
})

const wholePage = { imports: ["fdWrite", "procExit"] as const, memory: 2, data: [{ offset: 0, bytes: iovec(16_384, 65_536) }] }

/** Lists of 1,000 ranges, each of the same 64 KiB. */
const manyRanges = {
  imports: ["fdWrite", "procExit"] as const,
  memory: 2,
  data: [{ offset: 0, bytes: times(1_000, iovec(16_384, 65_536)) }]
}

const escapes = "\u001b]0;title\u0007\u001b[2J\u001b[31mred\u001b[0m\u009b31m\r\nnext\u0000\u202eback\u2066"

/** What is written, and what is answered. */
export const output: ReadonlyArray<Bomb> = [
  stopped("stdout, a byte at a time, for ever", { ...oneText([97]), code: forever(writes(1)) }),
  stopped("stdout, 64 KiB at a time, for ever", { ...wholePage, code: forever(writes(1)) }),
  stopped("stderr, 64 KiB at a time, for ever", { ...wholePage, code: forever(writes(2)) }),
  harmless("64 MB in one call", { ...manyRanges, code: [...writes(1, 1_000), ...exitZero(1)] }),
  stopped("4,294,967,295 ranges in one call", { ...manyRanges, code: writes(1, -1) }),
  harmless("descriptors that are not open", {
    ...wholePage,
    code: [...[0, 3, 4, 255, -1].flatMap((descriptor) => writes(descriptor)), ...exitZero(1)]
  }),
  stopped("a count that cannot be told", { ...wholePage, code: [...asking(0, 1, 0, 1, -1), ...exitZero(1)] }),
  harmless("control sequences of terminals", { ...oneText(textBytes(escapes)), code: [...writes(1), ...writes(2), ...exitZero(1)] }),
  stopped("bytes that are not UTF-8", {
    ...oneText([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80, 0xe2, 0x82]),
    code: [...writes(1), ...writes(2), ...exitZero(1)]
  }),
  harmless("zero bytes", { ...oneText(times(1_000, [0])), code: [...writes(2), ...exitZero(1)] }),
  stopped("10,000 empty lines", { ...oneText([10]), code: [...turns(10_000, writes(2)), ...exitZero(1)] }),
  stopped("a result of 10 MiB", {
    imports: ["executionResult", "procExit"],
    memory: 160,
    code: [...i32Const(0), ...i32Const(160 * 65_536), ...call(0), ...exitZero(1)]
  }),
  stopped("a result one byte too large", {
    imports: ["executionResult", "procExit"],
    memory: 2,
    code: [...i32Const(0), ...i32Const(96_001), ...call(0), ...exitZero(1)]
  }),
  stopped("results of 64 KiB for ever", {
    imports: ["executionResult"],
    code: forever([...i32Const(0), ...i32Const(65_536), ...call(0)])
  }),
  stopped("a result, then a trap", { imports: ["executionResult"], code: [...i32Const(0), ...i32Const(9), ...call(0), 0x00] }),
  ...[2, 255, 256, 65_536, 2_147_483_647, -2_147_483_648, -1].map((code) =>
    harmless(`exit code ${code}`, { imports: ["procExit"], code: [...i32Const(code), ...call(0)] })
  )
]
