/** A program that fills ten MiB of memory again and again: much time for little gas, so that the wall clock ends it. */
import { assemble } from "@sibyl/testing/wasm"

/** Its module. */
export const endlessFill = assemble(`
import proc_exit
memory 160
loop forever
  i32.const 0
  i32.const 1
  i32.const 10485760
  memory.fill
  br forever
end
i32.const 0
call proc_exit
`)
