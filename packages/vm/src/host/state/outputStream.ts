/** One of the program's two output streams, kept up to a limit and checked as the phase checks it. */

/** What a program wrote. Bytes beyond `maxBytes` are dropped: no later rule looks at them. */
export class OutputStream {
  private readonly maxBytes: number
  private readonly chunks: Array<Uint8Array> = []
  private kept = 0
  /** Whether the program wrote anything at all, dropped bytes included. */
  used = false

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Appends a copy of the bytes. */
  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.used = true
    const room = this.maxBytes - this.kept
    if (room <= 0) return
    const chunk = bytes.slice(0, room)
    this.chunks.push(chunk)
    this.kept += chunk.length
  }

  /** Everything that was kept. */
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
