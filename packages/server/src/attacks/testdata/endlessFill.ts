/** Programs that fill their memory again and again: much time for little gas, so that the wall clock ends them, or the memory that they take. */
import { assemble } from "@sibyl/testing/wasm"

/** One with so many pages of 64 KiB. */
export const endlessFillOf = (pages: number): Uint8Array =>
  assemble(`
import proc_exit
memory ${pages}
loop forever
  i32.const 0
  i32.const 1
  i32.const ${pages * 65_536}
  memory.fill
  br forever
end
i32.const 0
call proc_exit
`)

/** One of ten MiB. */
export const endlessFill = endlessFillOf(160)
