/** One of the program's two output streams, limited in size and checked as the phase requires. */

/** The output of a program. Bytes beyond `maxBytes` are dropped: no later rule needs them. */
export class OutputStream {
  private readonly maxBytes: number
  private readonly chunks: Array<Uint8Array> = []
  private kept = 0
  /** Whether bytes were dropped. */
  isCut = false
  /** Whether the program wrote anything, including dropped bytes. */
  used = false

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Appends a copy of the bytes. */
  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.used = true
    const room = this.maxBytes - this.kept
    if (bytes.length > room) this.isCut = true
    if (room <= 0) return
    const chunk = bytes.slice(0, room)
    this.chunks.push(chunk)
    this.kept += chunk.length
  }

  /** All bytes that were kept. */
  bytes(): Uint8Array {
    const all = new Uint8Array(this.kept)
    let at = 0
    for (const chunk of this.chunks) {
      all.set(chunk, at)
      at += chunk.length
    }
    return all
  }
}
