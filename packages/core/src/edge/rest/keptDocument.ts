/** Documents that stay the same: compressed once, tagged, and not sent again to who has them (RFC 9110, sections 8.8.3 and 13.1.2). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { acceptsGzip } from "./acceptsGzip.ts"
import { fromUtf8, toHex } from "../../domain/encoding/bytes.ts"
import type { Reply } from "./call.ts"
import type { ServiceRequest } from "../transport/seam.ts"

/** A document ready to be sent. */
interface KeptDocument {
  readonly reply: Reply
  readonly plain: Uint8Array
  /** Weak: one tag for both forms. */
  readonly tag: string
  /** Made when it is first asked for; `undefined` where the runtime cannot compress. */
  gzipped?: Promise<Uint8Array | undefined>
}

const gzip = async (bytes: Uint8Array): Promise<Uint8Array | undefined> => {
  if (typeof globalThis.CompressionStream !== "function") return undefined
  const stream = new Blob([Uint8Array.from(bytes)]).stream().pipeThrough(new CompressionStream("gzip"))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

const keep = (reply: Reply): KeptDocument => {
  const plain = fromUtf8(reply.body)
  return { reply, plain, tag: `W/"${toHex(keccak_256(plain).slice(0, 16))}"` }
}

/** By the reply that was made: whoever makes a document makes it once. */
const kept = new WeakMap<Reply, KeptDocument>()

const hasTag = (header: string | undefined, tag: string): boolean =>
  header !== undefined && header.split(",").some((item) => {
    const asked = item.trim()
    return asked === "*" || asked === tag || `W/${asked}` === tag
  })

/** The document as this request is answered: whole, compressed where that is accepted, or 304 to who has it already. */
export const documentReply = async (reply: Reply, request: ServiceRequest): Promise<Reply> => {
  const document = kept.get(reply) ?? keep(reply)
  kept.set(reply, document)
  const { plain, tag } = document
  const encoded = acceptsGzip(request.header("accept-encoding")) ? await (document.gzipped ??= gzip(plain)) : undefined
  const headers = {
    ...reply.headers,
    etag: tag,
    // Kept by anyone, and asked about each time: a new version or another program shows at once.
    "cache-control": "public, no-cache",
    vary: "accept-encoding",
    ...(encoded === undefined ? {} : { "content-encoding": "gzip" })
  }
  if (hasTag(request.header("if-none-match"), tag)) {
    return { status: 304, body: "", headers: { ...headers, "content-length": String((encoded ?? plain).length) } }
  }
  return { ...reply, headers, ...(encoded === undefined ? {} : { encoded }) }
}
