/** The bytes of answers that are being read: one growing buffer each, all of them together within a bound. */

/** Bytes of all answers that one process reads at once. */
export const maxBytesReading = 268_435_456

/** Bytes of all answers that are being read for one project. */
export const maxProjectBytesReading = 67_108_864

/** Counts what the answers under way have room for. */
export class ReadingRoom {
  private total = 0
  private readonly byProject = new Map<string, number>()
  private readonly most: number
  private readonly mostOfProject: number

  constructor(most = maxBytesReading, mostOfProject = maxProjectBytesReading) {
    this.most = most
    this.mostOfProject = mostOfProject
  }

  /** Takes room for so many bytes; false, and nothing taken, when there is none. */
  take(projectId: string, bytes: number): boolean {
    const own = (this.byProject.get(projectId) ?? 0) + bytes
    if (this.total + bytes > this.most || own > this.mostOfProject) return false
    this.total += bytes
    this.byProject.set(projectId, own)
    return true
  }

  /** Gives room back. */
  give(projectId: string, bytes: number): void {
    const own = (this.byProject.get(projectId) ?? 0) - bytes
    this.total -= bytes
    if (own > 0) this.byProject.set(projectId, own)
    else this.byProject.delete(projectId)
  }
}

/** Why an answer is read no further. */
export type ReadingEnd = "tooLarge" | "tooManyChunks" | "noRoom"

const firstBytes = 16_384

/** Chunks that any answer may come in, and how many bytes pay for one more. */
const freeChunks = 1_024
const bytesPerChunk = 64

/** One answer's bytes. A chunk is copied, so that it keeps nothing of the connection's own buffers alive. */
export class AnswerBytes {
  private readonly room: ReadingRoom
  private readonly projectId: string
  private readonly maxBytes: number
  private buffer = new Uint8Array()
  private length = 0
  private chunks = 0
  private released = false

  constructor(room: ReadingRoom, projectId: string, maxBytes: number) {
    this.room = room
    this.projectId = projectId
    this.maxBytes = maxBytes
  }

  /** Appends a chunk, or says why not. Answers in crumbs cost time for each, so their number is bounded by their bytes. */
  append(chunk: Uint8Array): ReadingEnd | undefined {
    // A released connection may still deliver what it had read.
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

  /** A copy of what came. */
  bytes(): Uint8Array {
    return this.buffer.slice(0, this.length)
  }

  /** Lets go of the buffer and its room; nothing is appended any more. */
  release(): void {
    this.released = true
    this.room.give(this.projectId, this.buffer.length)
    this.buffer = new Uint8Array()
    this.length = 0
  }

  private grow(length: number): boolean {
    const size = Math.min(this.maxBytes, Math.max(firstBytes, 2 * this.buffer.length, length))
    if (!this.room.take(this.projectId, size - this.buffer.length)) return false
    const grown = new Uint8Array(size)
    grown.set(this.buffer.subarray(0, this.length))
    this.buffer = grown
    return true
  }
}
