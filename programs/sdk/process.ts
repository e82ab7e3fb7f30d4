/** A program's output and ending: lines on stdout and stderr, exit codes, and what an abort does. */
import { fd_write, proc_exit } from "./host"
import { jsonInteger } from "./jsonWriter"

/** Longer lines are cut to this many UTF-16 units. */
const maxLineLength: i32 = 400

/** Writes bytes in one call, which has a fixed price for any number of them. */
function write(fd: u32, bytes: ArrayBuffer): void {
  const vector = heap.alloc(12)
  store<usize>(vector, changetype<usize>(bytes))
  store<u32>(vector, bytes.byteLength, 4)
  fd_write(fd, vector, 1, vector + 8)
}

/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD, because hosts refuse output that is not UTF-8. */
function utf8(text: string): ArrayBuffer {
  return String.UTF8.encode(text, false, String.UTF8.ErrorMode.REPLACE)
}

/** Any text as one line: control characters, including line breaks, become spaces. */
function lineOf(text: string): ArrayBuffer {
  const bytes = utf8(text.substring(0, maxLineLength) + "\n")
  const start = changetype<usize>(bytes)
  for (let at = start, end = start + bytes.byteLength - 1; at < end; at++) {
    if (load<u8>(at) < 0x20) store<u8>(at, 0x20)
  }
  return bytes
}

/** Writes text to stdout unchanged. */
export function log(text: string): void {
  write(1, utf8(text))
}

/** Writes one line of bounded length, with line breaks replaced by spaces: to stdout (1) or stderr (2). */
export function writeLine(fd: u32, text: string): void {
  write(fd, lineOf(text))
}

/** Ends the program with an exit code; nothing after it runs. */
export function exit(code: u32): void {
  proc_exit(code)
  unreachable()
}

/** Ends the program with exit code 1 and one line on stderr. Use `return fail<T>("…")` where a value is needed. */
export function fail<T>(message: string): T {
  writeLine(2, message)
  proc_exit(1)
  return unreachable()
}

/** Called by the compiler's code when a run-time check fails: one line on stderr, exit code 1. */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  const what = message === null ? "aborted" : message
  const where = file === null ? "" : " at " + file + ":" + jsonInteger(line) + ":" + jsonInteger(column)
  fail<void>(what + where)
}
