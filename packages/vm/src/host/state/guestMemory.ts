/** The program's memory as host functions see it: every access checked against its present size. */
import { outOfBounds, trap } from "./unwind.ts"

const encoder = new TextEncoder()

/** Reads and writes the memory of one instance. Pointers and lengths may come as signed 32-bit numbers. */
export class GuestMemory {
  private memory: { readonly buffer: ArrayBufferLike } | undefined

  /** Takes the instance's exported memory, where it has one. */
  attach(memory: { readonly buffer: ArrayBufferLike } | undefined): void {
    this.memory = memory
  }

  /** A view of `length` bytes at `pointer`, undefined when any lies outside. Not to be kept: memory may grow. */
  view(pointer: number, length: number): Uint8Array | undefined {
    const buffer = this.memory?.buffer
    const from = pointer >>> 0
    const size = length >>> 0
    return buffer !== undefined && from + size <= buffer.byteLength ? new Uint8Array(buffer, from, size) : undefined
  }

  /** A view like {@link view}; a trap when any byte lies outside. */
  read(pointer: number, length: number): Uint8Array {
    return this.view(pointer, length) ?? trap(outOfBounds)
  }

  /** Writes bytes; false, and nothing written, when any of them lies outside. */
  write(pointer: number, bytes: Uint8Array): boolean {
    const view = this.view(pointer, bytes.length)
    view?.set(bytes)
    return view !== undefined
  }

  /** Writes an unsigned 32-bit integer; false when it lies outside. */
  writeU32(pointer: number, value: number): boolean {
    const view = this.view(pointer, 4)
    if (view === undefined) return false
    new DataView(view.buffer, view.byteOffset, 4).setUint32(0, value, true)
    return true
  }

  /** Writes an unsigned 64-bit integer; false when it lies outside. */
  writeU64(pointer: number, value: bigint): boolean {
    const view = this.view(pointer, 8)
    if (view === undefined) return false
    new DataView(view.buffer, view.byteOffset, 8).setBigUint64(0, value, true)
    return true
  }
}

/** A text as the program sees it: UTF-8 with a zero behind. */
export const cString = (text: string): Uint8Array => encoder.encode(`${text}\0`)
