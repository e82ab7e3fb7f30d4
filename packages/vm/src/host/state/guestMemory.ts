/** The program's memory as host functions access it: every access is checked against its current size. */
import { outOfBounds, trap } from "./unwind.ts"

const encoder = new TextEncoder()

/** Reads and writes the memory of one instance. Pointers and lengths may be signed 32-bit numbers. */
export class GuestMemory {
  private memory: { readonly buffer: ArrayBufferLike } | undefined

  /** Attaches the instance's exported memory, if it has one. */
  attach(memory: { readonly buffer: ArrayBufferLike } | undefined): void {
    this.memory = memory
  }

  /** A view of `length` bytes at `pointer`, undefined if any byte is outside. Do not keep it: memory may grow. */
  view(pointer: number, length: number): Uint8Array | undefined {
    const buffer = this.memory?.buffer
    const from = pointer >>> 0
    const size = length >>> 0
    return buffer !== undefined && from + size <= buffer.byteLength ? new Uint8Array(buffer, from, size) : undefined
  }

  /** As {@link view}, but traps if any byte is outside. */
  read(pointer: number, length: number): Uint8Array {
    return this.view(pointer, length) ?? trap(outOfBounds)
  }

  /** Writes bytes; false, and nothing written, if any byte is outside. */
  write(pointer: number, bytes: Uint8Array): boolean {
    const view = this.view(pointer, bytes.length)
    view?.set(bytes)
    return view !== undefined
  }

  /** Writes an unsigned 32-bit integer; false if it is outside. */
  writeU32(pointer: number, value: number): boolean {
    const view = this.view(pointer, 4)
    if (view === undefined) return false
    new DataView(view.buffer, view.byteOffset, 4).setUint32(0, value, true)
    return true
  }

  /** Writes an unsigned 64-bit integer; false if it is outside. */
  writeU64(pointer: number, value: bigint): boolean {
    const view = this.view(pointer, 8)
    if (view === undefined) return false
    new DataView(view.buffer, view.byteOffset, 8).setBigUint64(0, value, true)
    return true
  }
}

/** A text as the program sees it: UTF-8 with a zero terminator. */
export const cString = (text: string): Uint8Array => encoder.encode(`${text}\0`)
