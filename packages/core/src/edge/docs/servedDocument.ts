/** A document as served: the same bytes for everyone, with one entity tag, compressed once (RFC 9110, section 8.8.3). */
import { fromUtf8, toHex } from "../../domain/encoding/bytes.ts"
import { keccak256 } from "../../domain/encoding/keccak256.ts"

const gzip = async (bytes: Uint8Array): Promise<Uint8Array | undefined> => {
  if (typeof globalThis.CompressionStream !== "function") return undefined
  const stream = new Blob([Uint8Array.from(bytes)]).stream().pipeThrough(new CompressionStream("gzip"))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** A document ready to be sent. */
export class ServedDocument {
  readonly body: string
  /** Its media type and content security policy; empty for JSON. */
  readonly headers: Readonly<Record<string, string>>
  readonly plain: Uint8Array
  /** A weak tag, because it is the same for the compressed form. */
  readonly tag: string
  #gzipped: Promise<Uint8Array | undefined> | undefined

  constructor(body: string, headers: Readonly<Record<string, string>> = {}) {
    this.body = body
    this.headers = headers
    this.plain = fromUtf8(body)
    this.tag = `W/"${toHex(keccak256(this.plain).slice(0, 16))}"`
  }

  /** The compressed form, made on first use; `undefined` if the runtime cannot compress. */
  gzipped(): Promise<Uint8Array | undefined> {
    this.#gzipped ??= gzip(this.plain)
    return this.#gzipped
  }
}
