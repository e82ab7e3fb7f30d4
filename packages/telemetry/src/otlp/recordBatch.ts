/** Records that wait to be sent, as the bytes in which they are sent: texts that wait would grow old in the heap. */
import { Buffer } from "node:buffer"

/** So many records, or bytes, are sent at once. */
const full = { records: 1_000, bytes: 524_288 } as const

/** What a character takes at most. */
const mostBytesOfUnit = 3

/** So many characters are written to the bytes at once: fewer calls, and of texts that wait no more than that. */
const gatheredChars = 32_768

const none = Buffer.alloc(0)

/** The body of a request, and how many records it has. */
export interface Batch {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly count: number
}

/** One batch after the other. */
export class RecordBatch {
  readonly #head: string
  readonly #tail: string
  #gathered = ""
  #buffer = none
  /** Of a batch that was sent: fresh memory costs more than what is written to it. */
  #spare = none
  #used = 0
  #count = 0

  /** `head` and `tail` stand around the records, with a comma between them. */
  constructor(head: string, tail: string) {
    this.#head = head
    this.#tail = tail
  }

  /** Adds a record; whether that makes a batch which should not wait. */
  add(record: string): boolean {
    this.#gathered += `${this.#count === 0 ? this.#head : ","}${record}`
    this.#count += 1
    if (this.#gathered.length >= gatheredChars) this.#write()
    return this.#count >= full.records || this.#used >= full.bytes
  }

  /** What has been added, which is forgotten here; `undefined` if that is nothing. */
  take(): Batch | undefined {
    if (this.#count === 0) return undefined
    this.#gathered += this.#tail
    this.#write()
    const batch = { bytes: this.#buffer.subarray(0, this.#used), count: this.#count }
    this.#buffer = this.#spare
    this.#spare = none
    this.#used = this.#count = 0
    return batch
  }

  /** Nobody reads the bytes of this batch any more. */
  giveBack({ bytes: { buffer } }: Batch): void {
    if (buffer.byteLength > this.#spare.length) this.#spare = Buffer.from(buffer)
  }

  #write(): void {
    const text = this.#gathered
    this.#gathered = ""
    const room = this.#used + text.length * mostBytesOfUnit
    if (room > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(room, 2 * this.#buffer.length, 16_384))
      this.#buffer.copy(larger, 0, 0, this.#used)
      this.#buffer = larger
    }
    this.#used += this.#buffer.write(text, this.#used)
  }
}
