/** A text that many sockets are sent: its bytes are made once, when the first of them asks. */
import { fromUtf8 } from "./bytes.ts"

/** A text and its bytes. */
export class EncodedText {
  readonly text: string
  #bytes: Uint8Array | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The text in UTF-8, the same array each time. */
  get bytes(): Uint8Array {
    this.#bytes ??= fromUtf8(this.text)
    return this.#bytes
  }
}
