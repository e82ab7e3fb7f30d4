/** The promises in which the host answers requests: `{"Fulfilled":[...]}` or `{"Rejected":[...]}`, lists of bytes. */
import { byteListLength, readByteList } from "./byteList"
import { call_result_write } from "./host"
import { jsonPadding } from "./json"

/** The maximum memory of a program: 160 pages. */
const memoryLimit: usize = 160 << 16

/** Kept free beside an answer for the program's own work. */
const workingMemory: usize = 1 << 20

/** An answer of the host. */
export class HostPromise {
  constructor(
    readonly isFulfilled: bool,
    /** The start of its bytes, which are followed by enough zero bytes to parse them as JSON. */
    readonly start: usize,
    readonly length: i32
  ) {}

  /** Its bytes as text; of a rejected one usually the reason. */
  text(): string {
    return String.UTF8.decodeUnsafe(this.start, this.length)
  }
}

function rejected(reason: string): HostPromise {
  const text = String.UTF8.encode(reason)
  const start = heap.alloc(text.byteLength + jsonPadding)
  memory.copy(start, changetype<usize>(text), text.byteLength)
  memory.fill(start + text.byteLength, 0, jsonPadding)
  return new HostPromise(false, start, text.byteLength)
}

/**
 * Takes the pending answer, of which the host has told the length. It is decoded over itself: as a list of numbers it
 * is up to four times as large as its bytes.
 */
export function takePromise(length: u32): HostPromise {
  if (length == 0) return rejected("the host did not understand the request")
  if (heap.alloc(0) + length + workingMemory > memoryLimit) {
    return rejected("the answer does not fit the program's memory")
  }
  const start = heap.alloc(length + jsonPadding)
  memory.fill(start + length, 0, jsonPadding)
  call_result_write(start, length)

  // {"Fulfilled": and {"Rejected": differ in their third character.
  const isFulfilled = load<u8>(start, 2) == 0x46
  const value = start + (isFulfilled ? 13 : 12)
  const second = load<u8>(value, 1)
  let size = 0
  // `[]` and `null` are empty.
  if (second != 0x5d && second != 0x75) {
    if (readByteList(value + 1, start, 1) != start + length - 1) return rejected("the host's answer is malformed")
    size = byteListLength
  }
  memory.fill(start + size, 0, jsonPadding)
  return new HostPromise(isFulfilled, start, size)
}
