/** Programs that move memory for as long as they may, or grow it. */
import { drop, i32Const, localGet } from "../wasm/instructions.ts"
import { asking, type Bomb, type Code, fill, forever, grow, stopped } from "./bomb.ts"

/** Local 0, and the same plus a step, within a mask. */
const walk = (step: number, mask: number, code: Code): Code =>
  forever([...localGet(0), ...i32Const(step), 0x6a, ...i32Const(mask), 0x71, 0x22, 0, ...code])

const tenMib = 160

/** Loops that move memory. */
export const movingMemory: ReadonlyArray<Bomb> = [
  stopped("writes all over 8 MiB", { memory: tenMib, code: walk(4_160, 0x7f_ffff, [...i32Const(1), 0x3a, 0, 0]) }),
  stopped("reads all over 8 MiB", { memory: tenMib, code: walk(65_600, 0x7f_ffff, [0x28, 0, 0, 0x1a]) }),
  stopped("reads across the edges of lines", { memory: 1, code: walk(64, 0xfff, [0x29, 0, 61, 0x1a]) }),
  stopped("fills of 10 MiB", { memory: tenMib, code: forever(fill(0, 1, tenMib * 65_536)) }),
  stopped("fills of nothing", { code: forever(fill(0, 1, 0)) }),
  stopped("copies of 5 MiB onto themselves, one byte on", {
    memory: tenMib,
    code: forever([...[1, 0, 5 * 1_048_576].flatMap(i32Const), 0xfc, 0x0a, 0, 0])
  }),
  stopped("copies of one byte", { code: forever([...[1, 0, 1].flatMap(i32Const), 0xfc, 0x0a, 0, 0]) }),
  stopped("the size of memory", { code: forever([0x3f, 0, drop]) }),
  stopped("growing by one page for ever", { code: forever(grow(1)) }),
  stopped("growing by nothing", { code: forever(grow(0)) }),
  stopped("growing by 65,535 pages", { code: forever(grow(65_535)) }),
  stopped("growing by 4,294,967,295 pages", { code: forever(grow(-1)) }),
  stopped("growing, and filling what is there", {
    code: forever([...grow(1), ...i32Const(0), ...i32Const(7), 0x3f, 0, ...i32Const(16), 0x74, 0xfc, 0x0b, 0])
  }),
  stopped("hashes of 10 MiB", { imports: ["keccak256"], memory: tenMib, code: forever(asking(0, 0, tenMib * 65_536)) })
]
