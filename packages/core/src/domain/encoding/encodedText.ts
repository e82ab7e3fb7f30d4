/** A text that many sockets are sent: its bytes are made once, when the first of them asks. */
import { fromUtf8, toUtf8Lossy } from "./bytes.ts"

/** A text and its bytes; one of them is made of the other when it is asked for. */
export class EncodedText {
  #text: string | undefined
  #bytes: Uint8Array | undefined

  /** Of a text, or of its bytes in UTF-8, which nobody may change. */
  constructor(from: string | Uint8Array) {
    if (typeof from === "string") this.#text = from
    else this.#bytes = from
  }

  get text(): string {
    this.#text ??= toUtf8Lossy(this.#bytes ?? new Uint8Array())
    return this.#text
  }

  /** The text in UTF-8, the same array each time. */
  get bytes(): Uint8Array {
    this.#bytes ??= fromUtf8(this.#text ?? "")
    return this.#bytes
  }
}
