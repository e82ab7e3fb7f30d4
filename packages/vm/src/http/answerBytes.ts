/** The bytes of answers that are being read: one buffer each, with a bound on their total. */

/** Maximum bytes of all answers that a process is reading. */
export const maxBytesReading = 268_435_456

/** Maximum bytes of all answers that are being read for one project. */
export const maxProjectBytesReading = 67_108_864

/** Counts the memory of the answers in flight. */
export class ReadingRoom {
  private total = 0
  private readonly byProject = new Map<string, number>()
  private readonly most: number
  private readonly mostOfProject: number

  constructor(most = maxBytesReading, mostOfProject = maxProjectBytesReading) {
    this.most = most
    this.mostOfProject = mostOfProject
  }

  /** Reserves this many bytes; false, and nothing reserved, if they are not available. */
  take(projectId: string, bytes: number): boolean {
    const own = (this.byProject.get(projectId) ?? 0) + bytes
    if (this.total + bytes > this.most || own > this.mostOfProject) return false
    this.total += bytes
    this.byProject.set(projectId, own)
    return true
  }

  /** Releases bytes. */
  give(projectId: string, bytes: number): void {
    const own = (this.byProject.get(projectId) ?? 0) - bytes
    this.total -= bytes
    if (own > 0) this.byProject.set(projectId, own)
    else this.byProject.delete(projectId)
  }
}

/** Why reading an answer was stopped. */
export type ReadingEnd = "tooLarge" | "tooManyChunks" | "noRoom"

/** The first buffer of an answer: of its declared length, up to so many bytes; without one, of the second number. */
const [mostFirstBytes, undeclaredFirstBytes] = [65_536, 16_384]

/** The number of chunks that any answer may have, and how many bytes allow one more. */
const freeChunks = 1_024
const bytesPerChunk = 64

/** One answer's bytes. Chunks are copied, so that the connection's own buffers are not kept alive. */
export class AnswerBytes {
  private readonly room: ReadingRoom
  private readonly projectId: string
  private readonly maxBytes: number
  private firstBytes = undeclaredFirstBytes
  private buffer = new Uint8Array()
  private length = 0
  private chunks = 0
  private released = false

  constructor(room: ReadingRoom, projectId: string, maxBytes: number) {
    this.room = room
    this.projectId = projectId
    this.maxBytes = maxBytes
  }

  /** The answer declares its length: if it keeps to it, a short answer needs no second buffer. */
  declare(length: number): void {
    this.firstBytes = Math.min(length, mostFirstBytes)
  }

  /** Appends a chunk, or returns why not. Every chunk costs time, so their number is bounded by their bytes. */
  append(chunk: Uint8Array): ReadingEnd | undefined {
    // A released connection may still deliver data that it had already read.
    if (this.released) return "noRoom"
    const length = this.length + chunk.length
    this.chunks += 1
    if (length > this.maxBytes) return "tooLarge"
    if (this.chunks > freeChunks + length / bytesPerChunk) return "tooManyChunks"
    if (length > this.buffer.length && !this.grow(length)) return "noRoom"
    this.buffer.set(chunk, this.length)
    this.length = length
    return undefined
  }

  /** The received bytes in a buffer of their length. Nothing may be appended after that. */
  bytes(): Uint8Array {
    return this.length === this.buffer.length ? this.buffer : this.buffer.slice(0, this.length)
  }

  /** Releases the buffer and its memory; nothing is appended after that. */
  release(): void {
    this.released = true
    this.room.give(this.projectId, this.buffer.length)
    this.buffer = new Uint8Array()
    this.length = 0
  }

  private grow(length: number): boolean {
    const size = Math.min(this.maxBytes, Math.max(this.firstBytes, 2 * this.buffer.length, length))
    if (!this.room.take(this.projectId, size - this.buffer.length)) return false
    const grown = new Uint8Array(size)
    grown.set(this.buffer.subarray(0, this.length))
    this.buffer = grown
    return true
  }
}
