/** The two host functions that every kernel imports, and a sink that keeps its work from being optimised away. */

// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "proc_exit")
declare function procExit(code: i32): void

// @ts-ignore: decorator
@external("seda_v1", "execution_result")
declare function executionResult(pointer: usize, length: i32): void

const result = memory.data(8)

/** Makes a number the program's result. */
export function give(value: i64): void {
  if (value == i64.MAX_VALUE) procExit(1)
  store<i64>(result, value)
  executionResult(result, 8)
}

/** Called by the compiler's code when a check fails. */
export function abort(_message: string | null, _file: string | null, _line: u32, _column: u32): void {
  procExit(2)
}
