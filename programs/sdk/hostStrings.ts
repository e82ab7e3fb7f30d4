/** The two string tables of a program: its arguments and its environment. */
import { args_get, args_sizes_get, environ_get, environ_sizes_get } from "./host"

/** A table of strings as the host wrote it: pointers, then the strings in order, each ended by a NUL. */
export class HostStrings {
  constructor(readonly count: u32, private readonly pointers: usize, private readonly end: usize) {}

  /** The arguments; number 0 is the program's name. */
  static arguments(): HostStrings {
    const sizes = heap.alloc(8)
    args_sizes_get(sizes, sizes + 4)
    const table = HostStrings.space(sizes)
    args_get(table.pointers, table.pointers + table.count * 4)
    return table
  }

  /** The environment, `KEY=VALUE`. */
  static environment(): HostStrings {
    const sizes = heap.alloc(8)
    environ_sizes_get(sizes, sizes + 4)
    const table = HostStrings.space(sizes)
    environ_get(table.pointers, table.pointers + table.count * 4)
    return table
  }

  private static space(sizes: usize): HostStrings {
    const count = load<u32>(sizes)
    const bytes = load<u32>(sizes, 4)
    const pointers = heap.alloc(count * 4 + bytes)
    return new HostStrings(count, pointers, pointers + count * 4 + bytes)
  }

  /** The address of string `at`. */
  start(at: u32): usize {
    return load<u32>(this.pointers + at * 4)
  }

  /** Its length in bytes, from the start of the next one, which is cheaper than searching the NUL. */
  length(at: u32): u32 {
    const next = at + 1 < this.count ? <usize>load<u32>(this.pointers + (at + 1) * 4) : this.end
    return <u32>(next - this.start(at) - 1)
  }
}
